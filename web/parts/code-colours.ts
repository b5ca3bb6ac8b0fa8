/** Code in pieces of one colour each, by the grammars of highlight.js. Loaded when there is code to colour. */
import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'

export interface CodePiece {
  text: string
  /** Undefined: in the colour of text. */
  kind: CodeKind | undefined
}
type CodeKind = 'word' | 'string' | 'number' | 'comment' | 'added' | 'removed'

const grammars = createLowlight({
  bash,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
})

const kinds: Readonly<Record<string, CodeKind>> = {
  keyword: 'word',
  built_in: 'word',
  literal: 'word',
  tag: 'word',
  name: 'word',
  attr: 'word',
  section: 'word',
  string: 'string',
  regexp: 'string',
  char: 'string',
  number: 'number',
  comment: 'comment',
  meta: 'comment',
  addition: 'added',
  deletion: 'removed',
}

/** Undefined: the language is not known here. */
export function coloured(code: string, language: string): readonly CodePiece[] | undefined {
  if (!grammars.registered(language)) return undefined
  const pieces: CodePiece[] = []
  const walk = (nodes: readonly CodeNode[], kind: CodeKind | undefined): void => {
    for (const node of nodes) {
      if (node.type === 'text') pieces.push({ text: node.value, kind })
      else if (node.type === 'element') walk(node.children, kindOf(node.properties['className']) ?? kind)
    }
  }
  walk(grammars.highlight(language, code).children, undefined)
  return pieces
}

type CodeNode = ReturnType<typeof grammars.highlight>['children'][number]

/** Of classes such as `hljs-keyword`. */
function kindOf(classes: unknown): CodeKind | undefined {
  const first: unknown = Array.isArray(classes) ? classes[0] : undefined
  return typeof first === 'string' ? kinds[first.replace(/^hljs-/, '')] : undefined
}
