/** Secrets at rest: AES-256-GCM under a master key that lives outside the database. */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from './settings.ts'

export interface MasterKey {
  readonly bytes: Buffer
}

export class SealBroken extends Error {
  override readonly name = 'SealBroken'
  readonly code = 'seal_broken'
}

const version = 'v1'
const keyBytes = 32

/**
 * The key from SERVICE_MASTER_KEY (32 bytes in base64 or hexadecimal), or from `master.key` in the data folder, which the
 * first start creates, readable by its owner only.
 * @throws SealBroken when the key is malformed, or its file can be read by others
 */
export function openMasterKey(options: { dataDir: string; environment: Environment }): MasterKey {
  const variable = options.environment['SERVICE_MASTER_KEY']
  if (variable) return { bytes: decodeKey(variable, 'SERVICE_MASTER_KEY') }
  const path = join(options.dataDir, 'master.key')
  if (!exists(path)) createKeyFile(options.dataDir, path)
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new SealBroken(`${path} can be read by others: chmod 600 ${path}`)
  }
  return { bytes: decodeKey(readFileSync(path, 'utf8'), path) }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Written to another file and linked: when two processes race, one key wins and both use it. */
function createKeyFile(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true })
  const aside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(aside, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  chmodSync(aside, 0o600)
  try {
    linkSync(aside, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(aside)
  }
}

function decodeKey(text: string, from: string): Buffer {
  const trimmed = text.trim()
  const bytes = /^[0-9a-fA-F]{64}$/.test(trimmed) ? Buffer.from(trimmed, 'hex') : Buffer.from(trimmed, 'base64')
  if (bytes.length !== keyBytes)
    throw new SealBroken(`${from} holds no key of ${keyBytes} bytes in base64 or hexadecimal`)
  return bytes
}

/** @param name of the secret; the value can be opened under this name only */
export function seal(key: MasterKey, name: string, plaintext: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(name))
  const sealed = Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${version}:${sealed.toString('base64')}`
}

/** @throws SealBroken when it was sealed under another key or name, or was changed */
export function unseal(key: MasterKey, name: string, sealed: string): string {
  const [prefix, body = ''] = sealed.split(':')
  const bytes = Buffer.from(body, 'base64')
  if (prefix !== version || bytes.length < 28) throw new SealBroken(`the stored value of ${name} is no sealed value`)
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, 12)).setAAD(Buffer.from(name))
  decipher.setAuthTag(bytes.subarray(-16))
  try {
    return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
  } catch (cause) {
    throw new SealBroken(`the stored value of ${name} was sealed under another master key, or was changed`, { cause })
  }
}

/** A key for one purpose (HKDF-SHA256): it says nothing of the master key, nor of the keys of other labels and salts. */
export function derivedKey(key: MasterKey, { label, salt }: { label: string; salt: string }): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key.bytes, salt, label, keyBytes)))
}
