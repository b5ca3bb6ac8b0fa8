/** One message: author, content, the figures of its turn, and its delivery. */

import { Anchor, Button, Code, Divider, Group, Loader, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Disposition } from '../../parts/disposition.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { isOpen, TurnStatusBadge } from '../../parts/turn-status.tsx'
import { useText } from '../../text/text.ts'
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
  delivery: Delivery | undefined
  isContextEnd: boolean
  actions: ReactNode
}

export function MessageRow({ message, turn, delivery, isContextEnd, actions }: MessageProps) {
  const t = useText(conversationText)
  const [isShown, setShown] = useState(message.superseded_by === null)
  const role = `role_${message.role}` as 'role_user'
  return (
    <>
      <article
        className={styles['message']}
        data-role={message.role}
        data-gone={message.superseded_by ? true : undefined}
      >
        <Group justify="space-between" gap="sm" wrap="nowrap">
          <Group gap={8}>
            <Text size="sm" fw={600}>
              {t(role) ?? message.role}
              {message.name && ` · ${message.name}`}
            </Text>
            <Text size="sm" c="dimmed" component="div">
              <Time iso={message.created_at} />
            </Text>
          </Group>
          {actions}
        </Group>
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
        {isShown && <MessageText text={plainText(message.content, t)} />}
        {isShown && message.tool_calls !== undefined && message.tool_calls !== null && (
          <>
            <Text size="sm" c="dimmed" mt={4}>
              {t('toolCalls')}
            </Text>
            <Code block className={styles['tools'] ?? ''} tabIndex={0} role="region" aria-label={t('toolCalls')}>
              {JSON.stringify(message.tool_calls, null, 2)}
            </Code>
          </>
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

/** Text from outside is shown as plain text: markup in it is never interpreted. */
function MessageText({ text }: { text: string }) {
  const t = useText(conversationText)
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > shownMax
  return (
    <>
      <div className={styles['text']} dir="auto">
        {isCut ? `${text.slice(0, shownMax)}…` : text}
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
      <Group gap={8}>
        <Text size="sm" fw={600}>
          {t('role_assistant')}
        </Text>
        {!isWhole && !isLost && (
          <>
            <Loader size={12} aria-hidden />
            <Text size="sm" c="dimmed">
              {t('writing')}
            </Text>
          </>
        )}
      </Group>
      <div className={styles['text']} dir="auto">
        {text}
      </div>
    </article>
  )
}

function TurnLine({ turn }: { turn: Turn }) {
  const t = useText(conversationText)
  return (
    <Group gap={8} mt={6}>
      <TurnStatusBadge status={turn.status} />
      {turn.model !== '' && (
        <Text size="sm" c="dimmed" maw={220} truncate>
          {turn.agent ? `${turn.agent} · ${turn.model}` : turn.model}
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
      {turn.error && turn.error.code !== turn.status && (
        <Text size="sm" c="red" title={turn.error.message}>
          {turn.error.code}
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
    <Group gap={8} mt={4}>
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
