// Text in SVG does not break by itself: words into lines of a width, and which of them were read in documents.

const pen = document.createElement("canvas").getContext("2d");

export function font(element) {
  const style = getComputedStyle(element);
  return style.fontFamily || "sans-serif";
}

export function width(text, size, family, weight = 400) {
  pen.font = `${weight} ${size}px ${family}`;
  return pen.measureText(text).width;
}

/** Lines of words, at most `most` of them; a longer text ends with an ellipsis. Words are { text, marked }. */
export function lines(text, room, size, family, most, marked = []) {
  const words = pieces(text, marked);
  const found = [[]];
  let used = 0;
  const space = width(" ", size, family);
  for (const word of words) {
    let needs = width(word.text, size, family, word.marked ? 600 : 400);
    if (used && used + space + needs > room) {
      if (found.length === most) {
        cut(found.at(-1), room, size, family);
        return found;
      }
      found.push([]);
      used = 0;
    }
    if (needs > room) {
      word.text = clipped(word.text, room, size, family);
      needs = room;
    }
    found.at(-1).push(word);
    used += (used ? space : 0) + needs;
  }
  return found;
}

function cut(line, room, size, family) {
  while (line.length > 1 && width(`${line.map((word) => word.text).join(" ")} …`, size, family, 600) > room) line.pop();
  line.push({ text: "…", marked: false });
}

export function clipped(text, room, size, family) {
  if (width(text, size, family, 600) <= room) return text;
  let short = text;
  while (short.length > 1 && width(`${short}…`, size, family, 600) > room) short = short.slice(0, -1);
  return `${short}…`;
}

function pieces(text, marked) {
  const words = [];
  let rest = text;
  while (rest) {
    const hits = marked.filter(Boolean).map((phrase) => [rest.indexOf(phrase), phrase]).filter(([place]) => place >= 0);
    const [place, phrase] = hits.sort((a, b) => a[0] - b[0] || b[1].length - a[1].length)[0] ?? [rest.length, ""];
    add(words, rest.slice(0, place), false);
    add(words, phrase, true);
    rest = rest.slice(place + phrase.length);
  }
  return words;
}

function add(words, text, marked) {
  for (const word of text.split(/\s+/)) if (word) words.push({ text: word, marked });
}
