/** One message: author, content, the figures of its turn, and its delivery. */

import { Anchor, Button, Divider, Group, Loader, Text } from '@mantine/core'
import { Bot, UserRound, Wrench } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Disposition } from '../../parts/disposition.tsx'
import { moneyText } from '../../parts/format.ts'
import { linkTo } from '../../parts/link-to.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { useTurnErrorText } from '../../parts/turn-error.ts'
import { isOpen, TurnStatusBadge } from '../../parts/turn-status.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import type { Delivery, Turn } from './about-messages.ts'
import { CancelTurn } from './cancel-turn.tsx'
import { plainText } from './content.ts'
import styles from './conversation.module.css'
import type { LiveAnswer } from './live-answer.ts'
import { conversationText } from './text.ts'
import type { Message } from './thread-state.ts'

const shownMax = 6_000

interface MessageProps {
  message: Message
  /** Shown with the last message of the turn only. */
  turn: Turn | undefined
  /** Who answered, where an agent did. */
  agent: string | null
  sender: string | null
  /** The operator who wrote it in the sender's place: a login, or empty where only that is known; null: none did. */
  operator: string | null
  delivery: Delivery | undefined
  isContextEnd: boolean
  actions: ReactNode
}

export function MessageRow({ message, turn, agent, sender, operator, delivery, isContextEnd, actions }: MessageProps) {
  const t = useText(conversationText)
  const [isShown, setShown] = useState(message.superseded_by === null)
  const role = operator === null ? (t(`role_${message.role}` as 'role_user') ?? message.role) : t('role_operator')
  const isAnswer = message.role === 'assistant'
  const person = operator === null ? (message.name ?? sender) : operator
  const author = (isAnswer ? agent : message.role === 'user' ? person : message.name) || role
  return (
    <>
      <article
        className={styles['message']}
        data-role={message.role}
        data-gone={message.superseded_by ? true : undefined}
      >
        <div className={styles['author']}>
          <Face of={message.role} />
          <b title={role}>{author}</b>
          {author !== role && <span className="unseen">{role}</span>}
          <span className={styles['time']}>
            <Time iso={message.created_at} />
          </span>
          <span className={styles['actions']}>{actions}</span>
        </div>
        {message.superseded_by && (
          <Text size="sm" c="dimmed">
            {t('superseded')}{' '}
            {!isShown && (
              <Anchor component="button" type="button" size="sm" onClick={() => setShown(true)}>
                {t('showSuperseded')}
              </Anchor>
            )}
          </Text>
        )}
        {isShown && <MessageText text={plainText(message.content, t)} isMarkdown={isAnswer} />}
        {isShown && message.tool_calls !== undefined && message.tool_calls !== null && (
          <section className={styles['tools']} aria-label={t('toolCalls')}>
            <Text size="sm" c="dimmed">
              {t('toolCalls')}
            </Text>
            <CodeBlock code={JSON.stringify(message.tool_calls, null, 2)} language="json" />
          </section>
        )}
        {message.feedback?.comment && (
          <Text size="sm" c="dimmed" mt={4} className={styles['text'] ?? ''}>
            {t('comment')}: {message.feedback.comment}
          </Text>
        )}
        {turn && <TurnLine turn={turn} />}
        {delivery && <DeliveryLine delivery={delivery} />}
      </article>
      {isContextEnd && <Divider my={6} label={t('resetLine')} labelPosition="center" />}
    </>
  )
}

/** A mark beside the name: a person, a tool, or who answers. */
function Face({ of: role }: { of: string }) {
  const Icon = role === 'user' ? UserRound : role === 'tool' || role === 'function' ? Wrench : Bot
  return (
    <span className={styles['face']} data-role={role}>
      <Icon size={14} aria-hidden />
    </span>
  )
}

/** Answers are Markdown, in which nothing runs and nothing is fetched; all other text is shown as it is. */
function MessageText({ text, isMarkdown }: { text: string; isMarkdown: boolean }) {
  const t = useText(conversationText)
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > shownMax
  const shown = isCut ? `${text.slice(0, shownMax)}…` : text
  return (
    <>
      <div className={isMarkdown ? undefined : styles['text']} dir="auto">
        {isMarkdown ? <Markdown text={shown} /> : shown}
      </div>
      {isCut && (
        <Button size="xs" variant="subtle" onClick={() => setWhole(true)}>
          {t('showAll', { n: text.length })}
        </Button>
      )}
    </>
  )
}

export function Writing({ live: { text, isWhole }, isLost }: { live: LiveAnswer; isLost: boolean }) {
  const t = useText(conversationText)
  return (
    <article className={styles['message']} data-role="assistant" aria-busy={!isWhole && !isLost}>
      <div className={styles['author']}>
        <Face of="assistant" />
        <b>{t('role_assistant')}</b>
        {!isWhole && !isLost && (
          <span className={styles['time']}>
            <Loader size={12} aria-hidden /> {t('writing')}
          </span>
        )}
      </div>
      <div dir="auto">
        <Markdown text={text} isStreaming={!isWhole && !isLost} />
      </div>
    </article>
  )
}

function TurnLine({ turn }: { turn: Turn }) {
  const t = useText(conversationText)
  const language = useLanguage()
  const errorText = useTurnErrorText()
  return (
    <Group gap={8} mt={6} className={styles['figures'] ?? ''}>
      <TurnStatusBadge status={turn.status} />
      {turn.model !== '' && (
        <Text size="sm" c="dimmed" maw={220} truncate>
          {turn.model}
        </Text>
      )}
      {turn.prompt_tokens !== null && (
        <Text size="sm" c="dimmed">
          {t('tokensShort', { in: turn.prompt_tokens, out: turn.completion_tokens ?? 0 })}
        </Text>
      )}
      {turn.duration_ms !== null && (
        <Text size="sm" c="dimmed">
          <Duration ms={turn.duration_ms} />
        </Text>
      )}
      {turn.cost && (
        <Text size="sm" c="dimmed">
          {moneyText(Number(turn.cost.micro_units), turn.cost.currency, language)}
        </Text>
      )}
      {turn.error && turn.error.code !== turn.status && (
        <Text size="sm" c="red" title={`${turn.error.code}: ${turn.error.message}`}>
          {errorText(turn.error.code)}
        </Text>
      )}
      <Anchor size="sm" renderRoot={linkTo(`/turns/${turn.id}`)}>
        {t('openTurn')}
      </Anchor>
      {isOpen(turn.status) && turn.origin !== 'call' && <CancelTurn turn={turn} />}
    </Group>
  )
}

function DeliveryLine({ delivery }: { delivery: Delivery }) {
  const t = useText(conversationText)
  return (
    <Group gap={8} mt={4} className={styles['figures'] ?? ''}>
      <Disposition status={delivery.status} />
      <Text size="sm" c="dimmed">
        {delivery.channel} · {t('attempts', { n: delivery.attempts })}
      </Text>
      {delivery.reason && (
        <Text size="sm" c="dimmed">
          {delivery.reason}
        </Text>
      )}
    </Group>
  )
}
