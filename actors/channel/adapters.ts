/** The kinds of channel: one import and one line each. */
import type { ChannelAdapter } from './adapter.ts'
import { chatapp } from './adapters/chatapp.ts'
import { email } from './adapters/email.ts'
import { generic } from './adapters/generic.ts'

const all: readonly ChannelAdapter[] = [chatapp, email, generic]

export const adapters: ReadonlyMap<string, ChannelAdapter> = new Map(all.map((adapter) => [adapter.name, adapter]))
