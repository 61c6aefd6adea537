// Which files can be sent at all, and in which requests. Knows nothing of the page or of the service's replies.

const PARTS = 400; // bytes that a request spends on each of its files, names left out
const MOST_FILES = 500; // of one request
const encoder = new TextEncoder();

/** Bytes as people say them; exact where rounding would hide what is too much. */
export function size(bytes, exact = false) {
  if (exact || bytes < 1000) return `${bytes.toLocaleString("en")} ${bytes === 1 ? "byte" : "bytes"}`;
  const [unit, name] = bytes < 1e6 ? [1e3, "kB"] : bytes < 1e9 ? [1e6, "MB"] : [1e9, "GB"];
  return `${(bytes / unit).toLocaleString("en", { maximumFractionDigits: 1 })} ${name}`;
}

/** Files in groups, a request for each, and a sentence for each file that is not taken. `start` is the reply of GET /start. */
export function sorted(files, start) {
  const groups = [];
  const refused = [];
  const names = new Set();
  let group = [];
  let full = 0;
  for (const file of files) {
    const why = refusal(file, start, names);
    if (why) {
      refused.push(`“${file.name}” ${why}`);
      continue;
    }
    names.add(file.name);
    if (group.length && (full + needs(file) > start.most.upload || group.length === MOST_FILES)) {
      groups.push(group);
      [group, full] = [[], 0];
    }
    group.push(file);
    full += needs(file);
  }
  if (group.length) groups.push(group);
  return { groups, refused };
}

const needs = (file) => file.size + 2 * encoder.encode(file.name).length + PARTS;

function refusal(file, { most, suffixes, lines }, names) {
  const lower = file.name.toLowerCase();
  const packed = lower.endsWith(".gz");
  const suffix = /[^.](\.[^.]+)$/.exec(packed ? lower.slice(0, -3) : lower)?.[1] ?? "";
  if (file.name.startsWith(".")) return `(${size(file.size)}) is a hidden file, and these are not taken: rename it.`;
  if (!suffix && !file.type) return `(${size(file.size)}) is a folder, or its name does not say what it is; taken are ${suffixes.join(", ")}.`;
  if (!suffixes.includes(suffix)) return `(${size(file.size)}) is of a kind that is not taken; taken are ${suffixes.join(", ")}, each also as .gz.`;
  const long = encoder.encode(file.name).length;
  if (long > most.name) return `(${size(file.size)}) has a name of ${long} bytes, and at most ${most.name} are taken: rename it.`;
  if (names.has(file.name)) return `(${size(file.size)}) comes twice, and documents are known by their file's name: rename one.`;
  if (needs(file) > most.upload) return large(file, needs(file), most.upload, "at once");
  const whole = !packed && !lines.includes(suffix);
  return whole && file.size > most.file ? large(file, file.size, most.file, "of one document: split it") : "";
}

function large(file, bytes, limit, where) {
  const exact = size(bytes) === size(limit);
  return `has ${size(bytes, exact)}, and at most ${size(limit, exact)} are taken ${where}.`;
}

/** The first of these files that cannot be read (any more), or undefined. */
export async function unreadable(files) {
  for (const file of files) {
    const fine = await file.slice(0, 1).arrayBuffer().then(() => true, () => false);
    if (!fine) return file;
  }
}
