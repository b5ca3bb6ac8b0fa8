/** An authenticator in software: makes ES256 keys and signs challenges with them as browsers pass them on (WebAuthn, level 2). */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** How one ceremony departs from the ordinary. */
export interface Ceremony {
  /** The page, as the browser says it. */
  origin: string
  isVerified?: boolean
  /** Instead of the challenge that was asked for. */
  challenge?: string
  /** Instead of the one that goes up by one. */
  counter?: number
  /** Instead of an attestation of the form `none`. */
  attestation?: Buffer
}

export interface Authenticator {
  readonly credentialId: string
  /** @param options what the service asks `navigator.credentials.create()` for */
  create(options: unknown, ceremony: Ceremony): object
  /** @param options what the service asks `navigator.credentials.get()` for */
  get(options: unknown, ceremony: Ceremony): object
}

interface CreationOptions {
  rp: { id: string }
  user: { id: string }
  challenge: string
}

interface RequestOptions {
  rpId: string
  challenge: string
}

const flags = { isPresent: 0x01, isVerified: 0x04, hasKey: 0x40 }

export function authenticator(): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  const credentialId = id.toString('base64url')
  let counter = 0
  let userHandle = ''

  function head(rpId: string, { isVerified = true, counter: forced }: Ceremony, more: number): Buffer {
    counter = forced ?? counter + 1
    const bytes = Buffer.alloc(37)
    createHash('sha256').update(rpId).digest().copy(bytes)
    bytes[32] = flags.isPresent | (isVerified ? flags.isVerified : 0) | more
    bytes.writeUInt32BE(counter, 33)
    return bytes
  }

  const face = { id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} }

  return {
    credentialId,
    create(options, ceremony) {
      const { rp, user, challenge } = options as CreationOptions
      userHandle = user.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const key = coseKey(publicKey)
      const data = Buffer.concat([head(rp.id, ceremony, flags.hasKey), Buffer.alloc(16), length, id, key])
      const clientDataJSON = clientData('webauthn.create', challenge, ceremony)
      return {
        ...face,
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          attestationObject: attested(data, ceremony.attestation).toString('base64url'),
          transports: ['internal', 'hybrid'],
        },
      }
    },
    get(options, ceremony) {
      const { rpId, challenge } = options as RequestOptions
      const authenticatorData = head(rpId, ceremony, 0)
      const clientDataJSON = clientData('webauthn.get', challenge, ceremony)
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()])
      return {
        ...face,
        response: {
          clientDataJSON: clientDataJSON.toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
          userHandle,
        },
      }
    },
  }
}

/** An attestation with a certificate in it, as a security key of a company has one. */
export function certified(certificate: Buffer): Buffer {
  const statement = Buffer.concat([
    map(3),
    ...[text('alg'), negative(-7), text('sig'), bytes(Buffer.alloc(70)), text('x5c'), list(1), bytes(certificate)],
  ])
  return Buffer.concat([text('fmt'), text('packed'), text('attStmt'), statement])
}

function clientData(type: string, challenge: string, ceremony: Ceremony): Buffer {
  const { origin } = ceremony
  return Buffer.from(JSON.stringify({ type, challenge: ceremony.challenge ?? challenge, origin, crossOrigin: false }))
}

const bare = Buffer.concat([text('fmt'), text('none'), text('attStmt'), map(0)])

const attested = (data: Buffer, format: Buffer = bare): Buffer =>
  Buffer.concat([map(3), format, text('authData'), bytes(data)])

/** Key type EC2, algorithm ES256, curve P-256, and the point (RFC 9053). */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const point = [negative(-2), bytes(Buffer.from(x, 'base64url')), negative(-3), bytes(Buffer.from(y, 'base64url'))]
  return Buffer.concat([map(5), uint(1), uint(2), uint(3), negative(-7), negative(-1), uint(1), ...point])
}

// CBOR (RFC 8949), of lengths below 65,536.
function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 0xff])
}
function uint(value: number): Buffer {
  return cborHead(0, value)
}
function negative(value: number): Buffer {
  return cborHead(1, -1 - value)
}
function bytes(value: Buffer): Buffer {
  return Buffer.concat([cborHead(2, value.length), value])
}
function text(value: string): Buffer {
  return Buffer.concat([cborHead(3, value.length), Buffer.from(value)])
}
function list(items: number): Buffer {
  return cborHead(4, items)
}
function map(pairs: number): Buffer {
  return cborHead(5, pairs)
}
