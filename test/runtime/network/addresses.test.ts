/** Kinds of addresses and names: what is public, what is the operator's own, and what nobody may call. */
import { describe, expect, it } from 'vitest'
import { addressKind, isSameAddress } from '../../../runtime/network/addresses.ts'
import { hostNameKind } from '../../../runtime/network/host-names.ts'

const addresses = {
  public: ['1.1.1.1', '8.8.8.8', '172.15.255.255', '172.32.0.1', '100.63.255.255', '100.128.0.1', '2606:4700::1111'],
  private: [
    ...['127.0.0.1', '127.255.255.254', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
    ...['::1', '0:0:0:0:0:0:0:1', 'fc00::1', 'fdff:ffff::1'],
  ],
  never: [
    // Metadata services and link-local.
    ...['169.254.169.254', '169.254.0.1', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'],
    ...['FD00:EC2:0:0:0:0:0:254', 'fd20:ce::254', 'fe80::1', 'fe80::1%eth0', '::1%lo', 'fec0::1'],
    // No host at all.
    ...['0.0.0.0', '0.1.2.3', '255.255.255.255', '224.0.0.1', '240.0.0.1', '192.0.2.1', '198.18.0.1', '::', 'ff02::1'],
    // An IPv4 address inside an IPv6 one.
    ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '::7f00:1', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1', '2002:7f00:1::', '2002:a00:1::1'],
    ...['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:db8::1', '2a00::5efe:7f00:1', '2a00::200:5efe:a00:1'],
    // Outside of what is given out.
    ...['4000::1', '5f00::1', '100::1', '3fff::1'],
    // No plain form of an address.
    ...['', 'localhost', '127.1', '0177.0.0.1', '0x7f.0.0.1', '2130706433', '[::1]', '127.0.0.1 ', '1.1.1.1.'],
  ],
} as const

describe('an address', () => {
  for (const [kind, list] of Object.entries(addresses))
    it.each(list)(`is ${kind}: %s`, (address) => expect(addressKind(address)).toBe(kind))

  it('is the same in all its spellings', () => {
    expect(isSameAddress('::1', '0:0:0:0:0:0:0:1')).toBe(true)
    expect(isSameAddress('127.0.0.1', '::1')).toBe(false)
    expect(isSameAddress('', '')).toBe(false)
  })
})

describe('a host’s name', () => {
  it.each([
    'localhost',
    'db',
    'a.localhost',
    'printer.local',
    'wiki.corp',
    'nas.home.arpa',
    'x.internal',
    'localhost.',
  ])('is internal: %s', (name) => expect(hostNameKind(name)).toBe('internal'))
  it.each(['metadata', 'metadata.google.internal', 'metadata.google.internal.', 'metadata.goog', 'instance-data'])(
    'belongs to a metadata service: %s',
    (name) => expect(hostNameKind(name)).toBe('never'),
  )
  it.each(['example.com', 'localhost.example.com', 'notlocal', 'mylocal.example'])(
    'is judged by its last labels: %s',
    (name) => expect(hostNameKind(name)).toBe(name === 'notlocal' ? 'internal' : 'ordinary'),
  )
})
