/**
 * Takes the mail of a mailbox, one at a time in order, and marks each mail after its commit.
 *
 * Which mail was taken is stored only in the mailbox, by a keyword: it moves with the mail, survives the loss of the
 * service and the database, needs no folder, and does not depend on whether somebody has read the mail. `\Seen` would: a
 * colleague who reads along would take mail from the agent. It is used only where a mailbox supports no keywords
 * (Exchange). Moving mail to a folder would work too, but people would not find it where they look for it.
 */
import type { ImapFlow, SearchObject } from 'imapflow'
import { causeOf } from '../../../../runtime/failure.ts'
import { exponential } from '../../../../runtime/time/backoff.ts'
import { minutes, seconds } from '../../../../runtime/time/duration.ts'
import { retried } from '../../../../runtime/time/retried.ts'
import type { AdapterDependencies, IncomingMessage } from '../../adapter.ts'
import type { MailboxAccount } from './account.ts'
import { readMail } from './incoming.ts'

export const takenKeyword = 'AgentTaken'

const mailBytesMax = 10 * 1_048_576
/** For one mail before the next, so that a mail that can never be stored does not block the others. */
const attemptsMax = 4
const backoff = exponential(seconds(1), seconds(30))
/** Mails that are marked with one command. */
const markedMax = 500
/** Mails whose mark the server refused are not taken again over this connection; past this number the connection ends. */
const unmarkedMax = 100

export interface Intake {
  /** Called once for each connection. In a mailbox without any mark, mail that people have read already is not taken. */
  begin(): Promise<void>
  /** @returns how many could not be taken now */
  sweep(): Promise<{ leftBehind: number }>
}

export function intake(
  client: ImapFlow,
  account: MailboxAccount,
  dependencies: AdapterDependencies,
  ended: AbortSignal,
): Intake {
  const { clock, random, log } = dependencies
  const { permanentFlags } = client.mailbox || {}
  const hasKeywords = !permanentFlags || permanentFlags.has('\\*') || permanentFlags.has(takenKeyword)
  const unmarked = new Set<number>()

  const recent = (): SearchObject => ({ since: new Date(clock.now() - account.daysMax * minutes(24 * 60)) })

  async function find(query: SearchObject): Promise<number[]> {
    const found = await client.search(query, { uid: true })
    if (!found) throw new Error('the server did not search the mailbox')
    return found.sort((one, other) => one - other)
  }

  /** @param flags besides the mark */
  async function mark(uids: readonly number[], flags: readonly string[]): Promise<void> {
    const all = hasKeywords ? [takenKeyword, ...flags] : ['\\Seen', ...flags]
    for (let at = 0; at < uids.length; at += markedMax) {
      const some = uids.slice(at, at + markedMax)
      if (await client.messageFlagsAdd(some.join(','), [...new Set(all)], { uid: true })) continue
      ended.throwIfAborted()
      log.warn(
        { uids: some.length },
        'the mailbox refused to mark mail; it will be taken again after the next connection',
      )
      for (const uid of some) unmarked.add(uid)
      if (unmarked.size > unmarkedMax) throw new Error('the mailbox does not keep marks')
    }
  }

  async function takeOne(uid: number, waiting: Set<string>): Promise<void> {
    const head = await client.fetchOne(String(uid), { size: true }, { uid: true })
    if (!head) return // somebody deleted it
    if ((head.size ?? 0) > mailBytesMax) {
      log.warn({ uid, bytes: head.size }, 'a mail is larger than 10 MiB; it is flagged and not taken')
      return mark([uid], ['\\Flagged'])
    }
    const whole = await client.fetchOne(String(uid), { source: { maxLength: mailBytesMax } }, { uid: true })
    const source = whole ? whole.source : undefined
    if (!source) return
    const read = await readMail(source, account.ownAddresses)
    switch (read.kind) {
      case 'ignored':
        log.info({ uid, why: read.why }, 'a mail is not answered')
        // Left unread for people, who should see a delivery report.
        return mark([uid], [])
      case 'refused':
        log.warn({ uid, why: read.why }, 'a mail cannot be taken; it is flagged')
        return mark([uid], ['\\Flagged'])
      case 'message':
        if (waiting.has(read.message.externalId) || !(await takeWithRetries(read.message, uid))) {
          // Later mail of the sender waits too, to keep the order.
          waiting.add(read.message.externalId)
          return
        }
        return mark([uid], ['\\Seen'])
      default:
        return read satisfies never
    }
  }

  async function takeWithRetries(message: IncomingMessage, uid: number): Promise<boolean> {
    const policy = { backoff, attemptsMax, isRetryable: () => true }
    const take = async (attempt: number) => {
      try {
        await dependencies.take(message)
        return true
      } catch (error) {
        log.warn({ ...causeOf(error), uid, attempt }, 'a mail cannot be taken now; it stays in the mailbox')
        throw error
      }
    }
    return retried(take, policy, { clock, random, signal: ended }).catch(() => {
      ended.throwIfAborted()
      return false
    })
  }

  return {
    async begin() {
      if (!hasKeywords || (await find({ keyword: takenKeyword })).length > 0) return
      await mark(await find({ ...recent(), seen: true, unKeyword: takenKeyword }), [])
    },
    async sweep() {
      const waiting = new Set<string>()
      const open = hasKeywords ? { unKeyword: takenKeyword } : { seen: false }
      for (const uid of await find({ ...recent(), ...open })) {
        ended.throwIfAborted()
        if (!unmarked.has(uid)) await takeOne(uid, waiting)
      }
      return { leftBehind: waiting.size }
    },
  }
}
