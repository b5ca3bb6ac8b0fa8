/** Internal addresses in every disguise: none is called, none is even asked for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressKindFromHere } from '../../../runtime/network/judge.ts'
import { guardedRequester } from '../../../tools/net/requester.ts'
import { codeOf, failureOf, get, knownNames, type Outside, outside } from './support/outside.ts'

let inside: Outside
beforeAll(async () => {
  inside = await outside((_request, response) => response.end('a secret of the inside'))
})
afterAll(() => inside.close())

const names = knownNames({})
const requester = guardedRequester({ allow: [], isAirgapped: false, resolve: names.resolve })

/** `PORT` becomes the one of a server inside, so that what is let through is seen there. */
const disguises = [
  // Forms of 127.0.0.1.
  ...['http://127.0.0.1:PORT/', 'http://127.1:PORT/', 'http://127.0.1:PORT/', 'http://2130706433:PORT/'],
  ...['http://0x7f000001:PORT/', 'http://0x7f.0.0.1:PORT/', 'http://0x7f.1:PORT/', 'http://0177.0.0.1:PORT/'],
  ...['http://017700000001:PORT/', 'http://0177.0x0.0.1:PORT/', 'http://0x7F.0.1:PORT/', 'http://00000177.1:PORT/'],
  ...['http://127.0.0.1.:PORT/', 'http://0x7f000001.:PORT/', 'http://127.42.42.42:PORT/', 'http://0:PORT/'],
  ...['http://0.0.0.0:PORT/', 'http://0x0:PORT/'],
  // Written otherwise: full width, other digits, circled, percent, soft hyphen, ideographic full stop.
  ...[
    'http://１２７.０.０.１:PORT/',
    'http://①②⑦.⓪.⓪.①:PORT/',
    'http://127。0。0。1:PORT/',
    'http://127．0．0．1:PORT/',
  ],
  ...['http://%31%32%37.0.0.1:PORT/', 'http://127%2e0%2e0%2e1:PORT/', 'http://127.0.0.\u00ad1:PORT/'],
  ...[
    'http://ｌｏｃａｌｈｏｓｔ:PORT/',
    'http://loc%61lhost:PORT/',
    'http://𝐥𝐨𝐜𝐚𝐥𝐡𝐨𝐬𝐭:PORT/',
    'http://LOCALHOST:PORT/',
  ],
  ...['http:\\\\127.0.0.1:PORT\\', 'http:/127.0.0.1:PORT/', 'http:127.0.0.1:PORT', '  http://127.0.0.1:PORT/ '],
  ...['ht\ntp://127.0.\t0.1:PORT/', '//127.0.0.1:PORT/'],
  // IPv6 and IPv4 inside it.
  ...['http://[::1]:PORT/', 'http://[0:0:0:0:0:0:0:1]:PORT/', 'http://[::ffff:127.0.0.1]:PORT/', 'http://[::]:PORT/'],
  ...['http://[::ffff:7f00:1]:PORT/', 'http://[::127.0.0.1]:PORT/', 'http://[::ffff:0:127.0.0.1]:PORT/'],
  ...['http://[64:ff9b::127.0.0.1]:PORT/', 'http://[64:ff9b:1::7f00:1]/', 'http://[2002:7f00:1::]:PORT/'],
  ...[
    'http://[2001:0:0:0:0:0:80ff:fffe]/',
    'http://[fe80::1%25eth0]:PORT/',
    'http://[fe80::1%eth0]/',
    'http://[fe80::1]/',
  ],
  ...['http://[fd00::1]/', 'http://[fd00:ec2::254]/latest/', 'http://[fec0::1]/', 'http://[::1%25lo]:PORT/'],
  // Networks inside, and metadata.
  ...['http://10.0.0.1/', 'http://172.16.0.1/', 'http://192.168.0.1/', 'http://100.64.0.1/', 'http://0xa9fea9fe/'],
  ...[
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0251.0376.0251.0376/',
    'http://168.63.129.16/',
  ],
  ...['http://100.100.100.200/', 'http://[::ffff:a9fe:a9fe]/', 'http://192.0.0.192/', 'http://224.0.0.1/'],
  ...['http://metadata.google.internal/', 'http://metadata/', 'http://METADATA.goog/', 'http://instance-data/'],
  // Names.
  ...['http://localhost:PORT/', 'http://localhost.:PORT/', 'http://a.localhost:PORT/', 'http://printer.local/'],
  ...[
    'http://wiki.internal/',
    'http://db:PORT/',
    'http://nas.home.arpa/',
    'http://example.com./',
    'http://example.com..:PORT/',
  ],
  // A user's name before the host, and other schemes.
  ...['http://example.com@127.0.0.1:PORT/', 'http://example.com:80@127.0.0.1:PORT/', 'http://a:b@example.com/'],
  ...['http://127.0.0.1:PORT\\@example.com/', 'http://127.0.0.1:PORT#@example.com/', 'http://:@127.0.0.1:PORT/'],
  ...['file:///etc/passwd', 'ftp://127.0.0.1:PORT/', 'gopher://127.0.0.1:PORT/_x', 'data:text/plain,x', 'javascript:1'],
  ...[
    'blob:http://127.0.0.1:PORT/x',
    'unix:/var/run/docker.sock',
    'ws://127.0.0.1:PORT/',
    '',
    'http://',
    'http://:80/',
  ],
]

describe('an internal address', () => {
  it.each(disguises)('is refused: %j', async (form) => {
    const code = await codeOf(get(requester, form.replace('PORT', String(inside.port))))
    expect(['refused_address', 'bad_url']).toContain(code)
  })

  it('was never called, and no name was asked for', () => {
    expect(disguises.length).toBeGreaterThan(80)
    expect(inside.connections).toBe(0)
    expect(names.asked).toEqual([])
  })

  it('is refused in words that do not say what it is', async () => {
    const { resolve } = knownNames({ 'inside.example.com': ['10.20.30.40'] })
    const one = guardedRequester({ allow: [], isAirgapped: false, resolve })
    const { message } = await failureOf(get(one, 'http://inside.example.com/'))
    expect(message).toContain('inside.example.com was not found, or its address is not one that may be called')
    expect(message).not.toContain('10.20')
    expect(message).not.toMatch(/private|internal/)
  })
})

describe('a public address of this machine itself', () => {
  it('is an internal one', () => {
    expect(addressKindFromHere('1.1.1.1', () => ['10.0.0.5', '1.1.1.1'])).toBe('private')
    expect(addressKindFromHere('1.1.1.1', () => ['10.0.0.5', '1.0.0.1'])).toBe('public')
    expect(addressKindFromHere('1.1.1.1')).toBe('public')
  })
})
