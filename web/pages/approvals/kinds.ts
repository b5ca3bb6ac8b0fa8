/** The kinds of things that wait for a person, as the inbox shows them. A new one is an entry here. */
import { createElement, type ReactNode } from 'react'
import type { Translate } from '../../text/text.ts'
import { Decision } from './decision.tsx'
import type { InboxItem, ItemDecisionProps } from './inbox-item.ts'
import { Outcome } from './outcome.tsx'
import type { approvalsText } from './text.ts'

type Say = Translate<typeof approvalsText.en>

interface InboxKind {
  /** Over its items, where there are several kinds. */
  heading: keyof typeof approvalsText.en
  /** Before the name of the tool. */
  headline(item: InboxItem, say: Say): string
  /** What follows from each decision: a title, and sentences. */
  consequences(item: InboxItem, say: Say): readonly [title: string, words: readonly string[]][]
  Decision(props: ItemDecisionProps): ReactNode
}

export const inboxKinds: Readonly<Record<string, InboxKind>> = {
  approval: {
    heading: 'toApprove',
    headline: ({ agent }, say) => say('asks', { agent: agent ?? '–' }),
    consequences: ({ effect }, say) => [
      [
        say('ifApproved'),
        effect === null
          ? [say('toolGone')]
          : [
              say(`risk_${effect.risk}`),
              say('exactly'),
              say(effect.idempotency === 'once' ? 'notRepeated' : 'repeated'),
            ],
      ],
      [say('ifRefused'), [say('refusedMeans'), say('expiredMeans')]],
    ],
    Decision: ({ item, ...rest }) => createElement(Decision, { approval: item, hasKeys: true, ...rest }),
  },
  unknown_effect: {
    heading: 'outcomeUnknown',
    headline: (_item, say) => say('mayHaveTaken'),
    consequences: (_item, say) => [
      [say('whatToDo'), [say('cutShort'), say('lookThere')]],
      [say('ifRecorded'), [say('recordedMeans')]],
    ],
    Decision: ({ item, ...rest }) => createElement(Outcome, { step: item, ...rest }),
  },
}
