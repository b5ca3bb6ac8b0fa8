/** The networks that a key may be used from. */
import { z } from 'zod'
import { addressTest } from '../../edge/client-ip.ts'

const networksMax = 50

/** One address or one network in CIDR form. */
export const Network = z
  .string()
  .trim()
  .max(64)
  .refine(isNetwork, 'must be an address or a network such as 192.0.2.0/24 or 2001:db8::/32')

export const AllowedIps = z
  .array(Network)
  .max(networksMax)
  .transform((networks) => [...new Set(networks)])
  .default([])
  .describe('Networks that the key may be used from, past trusted proxies; empty: any.')

function isNetwork(text: string): boolean {
  try {
    addressTest([text])
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
