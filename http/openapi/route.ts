/** `/openapi.json`: made once, when first asked for. */
import { open } from '../access.ts'
import { raw } from '../answer.ts'
import { type Route, route } from '../route.ts'
import { openApiDocument } from './document.ts'

/** @param routes the whole table, this route included; asked for late, because the table is still being made */
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
