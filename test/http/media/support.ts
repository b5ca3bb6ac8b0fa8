/** A gateway with a folder of files, and the few requests that every test of media makes. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type GatewayUnderTest,
  type GatewayUnderTestOptions,
  gatewayUnderTest,
  testKey,
} from '../../support/gateway.ts'

export interface MediaUnderTest extends GatewayUnderTest {
  folder: string
  /** @param path also an absolute address; without `key` nobody asks */
  ask(method: string, path: string, options?: Asked): Promise<Response>
  /** Announces an upload. @returns its id */
  announce(fields?: Record<string, unknown>): Promise<string>
  /** Announces and sends. @returns the answer to the PUT */
  upload(bytes: Uint8Array, fields?: Record<string, unknown>): Promise<Uploaded>
}

export interface Asked {
  body?: Uint8Array | string
  headers?: Record<string, string>
  /** Null: none. */
  key?: string | null
}

export interface Uploaded {
  id: string
  status: string
  bytes: number
  sha256: string
  content_type: string
  file: { url: string; expires_at: string }
}

export async function mediaUnderTest(
  environment: Record<string, string> = {},
  options: GatewayUnderTestOptions & { folder?: string } = {},
): Promise<MediaUnderTest> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'media-')))
  const gateway = await gatewayUnderTest({ SERVICE_BLOB_DIR: folder, ...environment }, options)

  function ask(method: string, path: string, { body, headers, key = testKey }: Asked = {}): Promise<Response> {
    return fetch(new URL(path, gateway.url), {
      ...{ method, redirect: 'manual' },
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
      ...(body !== undefined && { body }),
    } as RequestInit)
  }

  async function announce(fields: Record<string, unknown> = {}): Promise<string> {
    const answer = await gateway.post('/v1/media', { filename: 'a file.bin', ...fields })
    const { id } = (await answer.json()) as { id: string }
    return id
  }

  return {
    ...gateway,
    folder,
    ask,
    announce,
    async upload(bytes, fields) {
      const id = await announce(fields)
      const answer = await ask('PUT', `/v1/media/${id}/content`, { body: bytes })
      if (answer.status !== 200) throw new Error(`PUT answered ${answer.status}: ${await answer.text()}`)
      return (await answer.json()) as Uploaded
    },
    async stop() {
      await gateway.stop()
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The code of an error's envelope. */
export async function codeOf(answer: Response): Promise<string> {
  const { error } = (await answer.json()) as { error: { code: string } }
  return error.code
}

/** One transparent pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
