/** Addresses that mail is sent to: a single plain one that cannot inject another header, command or receiver. */
import { domainToASCII } from 'node:url'
import { z } from 'zod'

const characters = 254
const localCharacters = 64
/** RFC 5321, 4.1.2, `Dot-string`. Quoted local parts are not supported, nor those beyond ASCII, which need SMTPUTF8. */
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const domainPart = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/** @returns the address with its domain in ASCII; undefined: not a supported address */
export function plainAddress(text: string): string | undefined {
  if (text.length > characters) return undefined
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(0, at))
  const domain = domainToASCII(text.slice(at + 1))
  const address = `${local}@${domain}`
  const isPlain = local.length <= localCharacters && localPart.test(local) && domainPart.test(domain)
  return isPlain && address.length <= characters ? address : undefined
}

export const MailAddress = z
  .string()
  .max(characters)
  .refine((text) => plainAddress(text) === text, 'must be an address such as agent@example.com, without a name')

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

/** One line of at most `charactersMax` characters: for names and subjects, which become headers. */
export function oneLine(text: string, charactersMax: number): string {
  const plain = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  return plain.length <= charactersMax ? plain : `${[...plain].slice(0, charactersMax - 1).join('')}…`
}
