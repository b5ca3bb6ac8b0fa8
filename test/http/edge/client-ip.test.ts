/** The client's address behind proxies: strangers can write headers too. */
import { describe, expect, it } from 'vitest'
import { addressTest, clientIpOf, isLoopback } from '../../../http/edge/client-ip.ts'

const trusted = addressTest(['10.0.0.0/8', '127.0.0.1', 'fd00::/8'])

describe('the client address', () => {
  const cases: [name: string, peer: string, forwarded: string, client: string][] = [
    ['is the peer when nothing is forwarded', '203.0.113.5', '', '203.0.113.5'],
    ['is the peer when the peer is not trusted, whatever it says', '203.0.113.5', '192.0.2.1', '203.0.113.5'],
    ['is the last hop before our proxies', '10.0.0.1', '192.0.2.1, 198.51.100.7, 10.0.0.2', '198.51.100.7'],
    ['ignores what the client itself put in front', '127.0.0.1', '6.6.6.6, 198.51.100.7', '198.51.100.7'],
    ['is the outermost proxy when all are ours', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['stops at what is no address', '10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2'],
    ['unwraps IPv4 inside IPv6', '0000:0000:0000:0000:0000:ffff:0a00:0001', '192.0.2.9', '192.0.2.9'],
    ['takes ports and brackets off', '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['takes a port off IPv4', '10.0.0.1', '192.0.2.9:4711', '192.0.2.9'],
    ['is written in one way', '2001:0db8:0000:0000:0000:0000:0000:0001', '', '2001:db8::1'],
  ]
  for (const [name, peer, forwarded, client] of cases) {
    it(name, () => expect(clientIpOf(peer, forwarded, trusted)).toBe(client))
  }

  it('does not walk a list without end', () => {
    const long = `203.0.113.99${', 10.0.0.2'.repeat(5_000)}`
    expect(clientIpOf('10.0.0.1', long, trusted)).toBe('10.0.0.2')
  })
})

describe('ranges', () => {
  it('match their members only', () => {
    expect(trusted('10.255.0.1')).toBe(true)
    expect(trusted('11.0.0.1')).toBe(false)
    expect(trusted('127.0.0.2')).toBe(false)
    expect(trusted('fd12::1')).toBe(true)
    expect(trusted('no address')).toBe(false)
  })
  it('that are IPv4 inside IPv6 match IPv4', () => {
    expect(addressTest(['::ffff:10.0.0.1/128'])('10.0.0.1')).toBe(true)
    expect(addressTest(['::ffff:10.0.0.0/104'])('10.9.9.9')).toBe(true)
    expect(addressTest(['::ffff:10.0.0.1/128'])('10.0.0.2')).toBe(false)
  })
  it('that are none are named', () => {
    expect(() => addressTest(['10.0.0.0/8', 'proxy.example.com'])).toThrowError(/proxy\.example\.com/)
  })
})

it('loopback is loopback in either family', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].map(isLoopback)).toEqual([true, true, true, true])
  expect(['10.0.0.1', '', 'localhost'].map(isLoopback)).toEqual([false, false, false])
})
