/** Answers a call: its turn is recorded, and cancelled when its caller leaves. */
import { askTurn, asRunningTurn, endedTurn } from '../turn/ask-turn.ts'
import { type CompletedTurn, type PostedTurn, payerOf, postedTask, turnStart } from '../turn/posted-turn.ts'
import { orTurnFailed, settled, turnEnd } from '../turn/record.ts'
import { TurnFailed } from '../turn/turn-failed.ts'
import { settlingTokens } from '../usage/token-rates.ts'
import type { CallContext } from './call-context.ts'
import { recordEnd } from './record-end.ts'

/** @throws TurnFailed */
export function answer(context: CallContext, post: PostedTurn, signal: AbortSignal): Promise<CompletedTurn> {
  const { turns, budgets } = context.services
  return settlingTokens(context.services, post.tokenHold, (onUsed) =>
    asRunningTurn(context.services, post.turnId, async () => {
      const payer = payerOf(post, 'call')
      const isWatched = budgets.isWatched(payer)
      if (isWatched) await orTurnFailed(budgets.check(payer))
      // Written while the model already works: the caller waits for the record only where it takes longer than the model.
      const record = turns.begin(turnStart(post, null, new Date(context.clock.now())))
      const request = { ...post, live: null, task: postedTask(post, null) }
      const outcome = endedTurn(await askTurn(context, request, signal))
      onUsed(outcome.used)
      // The answer waits until the turn is known to the database; that it has ended follows with the next group commit.
      const recorded = recordEnd(context, record, turnEnd(context.services.prices, outcome, context.clock.now()))
      if (isWatched) await recorded
      const failure = await settled(record.known)
      if (outcome.status !== 'completed') throw new TurnFailed(outcome.error)
      if (failure) throw failure
      return outcome
    }),
  )
}
