/** A channel that polls a scripted bot API on virtual time, anew for each test. */
import { afterEach, beforeEach, expect } from 'vitest'
import { type VirtualClock, virtualClock } from '../../../../support/virtual-clock.ts'
import { type BotServer, botServer } from './bot-server.ts'
import { type OpenChannel, type OpenOptions, openChannel } from './open-channel.ts'

export let server: BotServer
export let channel: OpenChannel
export let clock: VirtualClock

export function pollingForEachTest(): void {
  beforeEach(async () => {
    server = await botServer()
    clock = virtualClock()
    open()
  })
  afterEach(async () => {
    await channel.transport.close()
    await server.close()
  })
}

export function open(options: OpenOptions = {}, url = server.url): void {
  channel = openChannel(url, { clock, ...options })
}

export async function connected(options: OpenOptions = {}): Promise<void> {
  open(options)
  await channel.connect()
}

/** Lets time pass, a little at each look, until the condition holds. */
export async function inTime(condition: () => boolean, stepMs = 200): Promise<void> {
  await expect
    .poll(async () => {
      await clock.advance(stepMs)
      return condition()
    })
    .toBe(true)
}

export const polls = () => server.of('getUpdates').map((call) => call.body)
export const contents = () => channel.taken.map((message) => message.content)

/** What the database says of a message that it will never take. */
export const rowRefused = () => Object.assign(new Error('invalid input'), { code: '22021' })
