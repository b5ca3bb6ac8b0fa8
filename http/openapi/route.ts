/** `/openapi.json`, made once, at the first request. */
import { open } from '../access.ts'
import { raw } from '../answer.ts'
import { type Route, route } from '../route.ts'
import { openApiDocument } from './document.ts'

/** @param routes the whole table, including this route; a function, because the table does not exist yet */
export function openApi(routes: () => readonly Route[]): Route {
  let text: string | undefined
  return route({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description',
    tag: 'system',
    access: open,
    answers: { 200: { contentType: 'application/json', description: 'An OpenAPI 3.1 document' } },
    handle({ app }) {
      text ??= JSON.stringify(openApiDocument(routes(), app.version))
      return raw(200, 'application/json; charset=utf-8', text)
    },
  })
}
