/** One conversation on a page of its own: what is known of it, its messages, the streaming answer, and the actions. */
import { Anchor } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { moneyText, shortNumberText } from '../../parts/format.ts'
import { IdText } from '../../parts/id-text.tsx'
import { Facts } from '../../parts/key-value.tsx'
import { LinkIfMay } from '../../parts/link-if-may.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import type { Turn } from './about-messages.ts'
import type { Conversation } from './conversation.ts'
import { conversationText } from './text.ts'
import { ConversationView } from './view.tsx'

export default function ConversationPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  return (
    <ConversationView
      id={id}
      frame={({ title, conversation, turns, hasOlder = false, actions, body }) => (
        <Page title={title} actions={actions}>
          {conversation && turns && (
            <ConversationFacts conversation={conversation} turns={[...turns.values()]} isPart={hasOlder} />
          )}
          {body}
        </Page>
      )}
    />
  )
}

interface FactsProps {
  conversation: Conversation
  turns: readonly Turn[]
  /** There are older turns, which are not loaded. */
  isPart: boolean
}

function ConversationFacts({ conversation, turns, isPart }: FactsProps) {
  const t = useText(conversationText)
  const language = useLanguage()
  const { channel, external_id: sender, folder, tags, parent_id: parent, turn } = conversation
  const rows: [ReactNode, ReactNode][] = []
  if (channel !== null) {
    const path = `/channels/${encodeURIComponent(channel)}`
    rows.push([
      t('channel'),
      <LinkIfMay key="channel" path={path} page="/channels/$name" permission="channels.read">
        {channel}
      </LinkIfMay>,
    ])
  }
  if (sender !== null) rows.push([t('sender'), sender])
  if (turn?.agent) rows.push([t('agent'), turn.agent])
  const sumText = (text: string) => (isPart ? t('atLeast', { n: text }) : text)
  const search = { conversation_id: conversation.id }
  rows.push([
    t('turns'),
    <Anchor key="turns" renderRoot={linkTo('/turns', search)}>
      {sumText(shortNumberText(turns.length, language))}
    </Anchor>,
  ])
  const sum = (of: (one: Turn) => number | null) => turns.reduce((all, one) => all + (of(one) ?? 0), 0)
  rows.push([
    t('tokens'),
    sumText(
      `${shortNumberText(
        sum((one) => one.prompt_tokens),
        language,
      )} / ${shortNumberText(
        sum((one) => one.completion_tokens),
        language,
      )}`,
    ),
  ])
  // All prices are of one currency; turns of an older one are left out.
  const currency = turns.find((one) => one.cost !== null)?.cost?.currency
  const micros = sum((one) => (one.cost && one.cost.currency === currency ? Number(one.cost.micro_units) : 0))
  rows.push([t('cost'), currency === undefined ? '–' : sumText(moneyText(micros, currency, language))])
  rows.push([t('begun'), <Time key="begun" iso={conversation.created_at} />])
  if (folder !== null) rows.push([t('folder'), folder])
  if (tags.length > 0) rows.push([t('tags'), tags.join(', ')])
  if (parent !== null)
    rows.push([
      t('forkedFrom'),
      <Anchor key="parent" renderRoot={linkTo(`/conversations/${parent}`)}>
        …{parent.slice(-6)}
      </Anchor>,
    ])
  rows.push([t('id'), <IdText key="id" id={conversation.id} />])
  return <Facts rows={rows} />
}
