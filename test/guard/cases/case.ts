/** A labelled text of the guard's measurement. */
import type { Source } from '../../../guard/verdict.ts'

export interface Case {
  readonly text: string
  readonly language: 'en' | 'ru'
  readonly source: Source
}

export const english = (source: Source, texts: readonly string[]): Case[] =>
  texts.map((text) => ({ text, source, language: 'en' }))

export const russian = (source: Source, texts: readonly string[]): Case[] =>
  texts.map((text) => ({ text, source, language: 'ru' }))

export const base64 = (text: string): string => Buffer.from(text).toString('base64')
export const hex = (text: string): string => Buffer.from(text).toString('hex')
export const reversed = (text: string): string => [...text].reverse().join('')
export const apart = (text: string): string => [...text].filter((letter) => letter !== ' ').join(' ')
export const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
export const entities = (text: string): string => [...text].map((letter) => `&#${letter.codePointAt(0)};`).join('')
export const escapes = (text: string): string =>
  [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
export const tags = (text: string): string =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
export const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
