"""The web process: one ASGI application for the studio, the API and every site.

Owns: which host means what (asgi, hosts), who may enter where (routes, one table), what every
answer carries (headers), how failures are told (failures, bodies), how the API is described
(docs, openapi), static files, the start page.

Promises
1. A host that is neither the studio's nor a site's is told so (421); a site can never act as
   the studio, nor the studio as a site.
2. Every answer carries X-Request-Id, and what the request causes carries it as its cause.
3. No answer shows a stack trace; the log has it, under the request's id.
4. HEAD answers as GET without a body; GET and HEAD change nothing.
5. Without the database people and programs get a 503 that says when to come again.

Tables, jobs: none.
"""
