import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openMasterKey, seal, unseal } from '../../config/seal.ts'

let dataDir = ''
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'seal-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const hexKey = { environment: { SERVICE_MASTER_KEY: 'ab'.repeat(32) } }

describe('master key', () => {
  test('it is created once, readable by its owner only, and read at the next start', () => {
    const first = openMasterKey({ dataDir, environment: {} })
    const again = openMasterKey({ dataDir, environment: {} })
    expect(again.bytes).toEqual(first.bytes)
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600)
  })

  test('one in the environment is used, in hexadecimal or base64, and no file is created', () => {
    const bytes = Buffer.alloc(32, 7)
    for (const SERVICE_MASTER_KEY of [bytes.toString('hex'), bytes.toString('base64')]) {
      expect(openMasterKey({ dataDir, environment: { SERVICE_MASTER_KEY } }).bytes).toEqual(bytes)
    }
    expect(() => readFileSync(join(dataDir, 'master.key'))).toThrow('ENOENT')
  })

  test('a file that others can read is refused with what to do', () => {
    openMasterKey({ dataDir, environment: {} })
    chmodSync(join(dataDir, 'master.key'), 0o640)
    expect(() => openMasterKey({ dataDir, environment: {} })).toThrow(/chmod 600/)
  })

  test('a damaged file is refused, and its content is not repeated', () => {
    writeFileSync(join(dataDir, 'master.key'), 'c2hvcnQ=', { mode: 0o600 })
    const open = () => openMasterKey({ dataDir, environment: {} })
    expect(open).toThrow(/holds no key of 32 bytes/)
    expect(open).not.toThrow(/c2hvcnQ/)
  })
})

describe('seal', () => {
  const key = openMasterKey({ dataDir: '', ...hexKey })

  test('any sealed text can be opened, and two seals of one text differ', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(text.isWellFormed())
        const sealed = seal(key, 'NAME', text)
        expect(unseal(key, 'NAME', sealed)).toBe(text)
        expect(seal(key, 'NAME', text)).not.toBe(sealed)
      }),
    )
  })

  test('a changed byte, another name or another key does not open it', () => {
    const sealed = seal(key, 'NAME', 'swordfish')
    const other = openMasterKey({ dataDir: '', environment: { SERVICE_MASTER_KEY: 'cd'.repeat(32) } })
    expect(() => unseal(key, 'OTHER', sealed)).toThrow(/another master key, or was changed/)
    expect(() => unseal(other, 'NAME', sealed)).toThrow(/another master key, or was changed/)
    const bytes = Buffer.from(sealed.slice(3), 'base64')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => unseal(key, 'NAME', `v1:${changed.toString('base64')}`)).toThrow()
    }
    expect(() => unseal(key, 'NAME', 'plain text')).toThrow(/no sealed value/)
  })
})
