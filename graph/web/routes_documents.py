"""POST, GET and DELETE of /documents."""

from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request, Response
from pydantic import ValidationError
from starlette.datastructures import UploadFile

from graph.web.bringing import checked_names
from graph.web.errors import NotFound, TooLarge
from graph.web.routes_ask import ERRORS as ALL_ERRORS
from graph.web.schemas import Brought, Deleted, DocumentPage, Inline, NamespaceQuery
from graph.web.service import Service
from graph.web.streaming import Work, wants_events
from nodes.checked_settings import checked
from nodes.ingest_context import IngestContext
from stores.errors import InputError, StoreError
from tools.loading import SUFFIXES

ERRORS = {status: error for status, error in ALL_ERRORS.items() if status != 504}  # bringing takes its time
STREAMED = {"content": {"text/event-stream": {}}, "description": "What became of the documents, or the way there"}
MOST_INLINE = 5_000_000
"""Bytes of documents as JSON: they are parsed at once, and nobody is answered meanwhile."""
MOST_FILES = 1_000
"""Files of one request."""
BROUGHT = f"""Files ({", ".join(SUFFIXES)}, each also with .gz) as multipart/form-data, or texts as they are, as JSON of
5 MB. A document is known by its id, else by the file's name. What is there already and has not changed is passed over.
With `stream=true`, or `Accept: text/event-stream`, server-sent events: `start`, `progress` (stage, bytes, bytes_total,
passages, counts), and at the end `done` or `error`. Who goes away stops it; what is stored by then stays."""
BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"files": {"type": "array", "items": {"type": "string", "format": "binary"}}},
                    "required": ["files"],
                }
            },
            "application/json": {"schema": Inline.model_json_schema()},
        },
    }
}


def add_routes(app: FastAPI, service: Service) -> None:
    """Documents."""

    async def bring(request: Request, namespace: NamespaceQuery = None, stream: bool = False) -> Response:
        bound = service.admit(request)
        context = checked(IngestContext, {"namespace": service.namespace(bound, namespace)}, "ingest")
        give_back, files = service.ingests.take(bound), list[UploadFile]()

        def release() -> None:
            for file in files:
                file.file.close()
            give_back()

        try:
            work = await _work(request, service, context, files)
        except BaseException:
            release()
            raise
        return service.answering(work, wants_events(request, stream), release)  # it may take its time

    async def list_documents(
        request: Request,
        namespace: NamespaceQuery = None,
        offset: Annotated[int, Query(ge=0, description="Leave out the first ones")] = 0,
        limit: Annotated[int, Query(ge=1, le=1_000, description="How many")] = 100,
    ) -> dict[str, Any]:
        name = service.namespace(service.admit(request), namespace)
        store = await service.deps.store()
        info = await store.info(name)
        found = await store.documents(name, offset=offset, limit=limit) if info else []
        total, passages = (info.documents, info.passages) if info else (0, 0)
        return {"namespace": name, "total": total, "passages": passages, "offset": offset, "documents": found}

    async def delete(
        request: Request,
        key: Annotated[str, Path(description="The document's id, as GET /documents shows it")],
        namespace: NamespaceQuery = None,
    ) -> dict[str, Any]:
        name = service.namespace(service.admit(request), namespace)
        store = await service.deps.store()
        if not (await store.info(name) and await store.delete(name, [key])):
            raise NotFound(
                f"documents: there is no document {key!r} in namespace {name!r}: GET /documents shows the ids"
            )
        return {"namespace": name, "deleted": key}

    app.post(
        "/documents",
        summary="Bring documents",
        description=BROUGHT,
        openapi_extra=BODY,
        response_model=Brought,
        responses={200: STREAMED, **ERRORS},
        tags=["documents"],
    )(bring)
    app.get(
        "/documents",
        summary="List documents, by id",
        response_model=DocumentPage,
        responses=ERRORS,
        tags=["documents"],
    )(list_documents)
    app.delete(
        "/documents/{key:path}",
        summary="Delete a document",
        response_model=Deleted,
        responses=ERRORS,
        tags=["documents"],
    )(delete)


async def _inline(request: Request) -> bytes:
    """The body of documents as JSON.

    Raises:
        TooLarge: it has too many bytes; the rest is not read.
    """
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_INLINE:
            raise TooLarge(
                f"documents: as JSON at most {MOST_INLINE:,} bytes are taken at once: send more of them as a file, "
                "such as documents.jsonl, in the field 'files' of multipart/form-data"
            )
    return bytes(body)


async def _work(request: Request, service: Service, context: IngestContext, opened: list[UploadFile]) -> Work:
    """What the body asks for; its files, which are to be closed, are added to `opened`.

    Raises:
        InputError: it is neither files nor documents.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        try:
            given = Inline.model_validate_json(await _inline(request))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"])) or "body"
            raise InputError(
                f"documents: {place} cannot be used: {first['msg']}; "
                'send {"documents": [{"title": ..., "text": ...}]}'
            ) from None
        return service.bringing.documents(given.documents, context)
    if kind == "multipart/form-data":
        try:
            form = await request.form(max_files=MOST_FILES)
        except OSError as error:
            raise StoreError(
                f"upload: the files cannot be kept while they come in ({error.strerror or error}): the server's owner "
                "makes room in its folder for temporary files"
            ) from error
        opened += [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
        files = [value for value in form.getlist("files") if isinstance(value, UploadFile)]
        if not files:
            raise InputError("upload: there is no file in the form: send one or more as the field 'files'")
        names = checked_names([file.filename for file in files])
        return service.bringing.files([(name, file.file) for name, file in zip(names, files, strict=True)], context)
    raise InputError(
        f"documents: {kind!r} cannot be read: send files as multipart/form-data in the field 'files', or JSON"
    )
