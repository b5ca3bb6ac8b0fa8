/** A conversation with an agent or a model: the messages and the composer. Also used by the first steps. */
import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useText } from '../../text/text.ts'
import { wrongFields } from './conversation.ts'
import { ConversationItem } from './conversation-item.tsx'
import styles from './playground.module.css'
import { playgroundText } from './text.ts'
import type { ConversationState } from './use-conversation.ts'

export function Chat({ hand, empty }: { hand: ConversationState; empty: string }) {
  const t = useText(playgroundText)
  const { conversation: talk, isRunning, isStored: isKept } = hand
  const again = useRef(hand.regenerate)
  again.current = hand.regenerate
  const onAgain = useRef(() => again.current()).current
  return (
    <Stack gap="md">
      <Stack gap="md" component="section" aria-label={t('talk')} aria-live="off">
        {talk.items.length === 0 && <Text c="dimmed">{empty}</Text>}
        {talk.items.map((item, at) => (
          <ConversationItem
            key={item.id}
            item={item}
            onAgain={at === talk.items.length - 1 && !isRunning ? onAgain : undefined}
          />
        ))}
      </Stack>
      <End of={talk.items.at(-1)} />
      {!isKept && (
        <Text size="xs" c="dimmed" role="status">
          {t('notKept')}
        </Text>
      )}
      <Composer hand={hand} />
    </Stack>
  )
}

/** Follows the answer while its end is visible; after scrolling up the view stays. */
function End({ of }: { of: unknown }) {
  const isInSight = useRef(true)
  useEffect(() => {
    const measure = () => {
      const { scrollHeight, scrollTop, clientHeight } = document.documentElement
      isInSight.current = scrollHeight - scrollTop - clientHeight < 120
    }
    addEventListener('scroll', measure, { passive: true })
    return () => removeEventListener('scroll', measure)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each piece of the answer
  useEffect(() => {
    if (isInSight.current) scrollTo({ top: document.documentElement.scrollHeight })
  }, [of])
  return null
}

function Composer({ hand }: { hand: ConversationState }) {
  const t = useText(playgroundText)
  const { conversation: talk, isRunning } = hand
  const isReady = talk.setup.model.trim() !== '' && talk.draft.trim() !== '' && wrongFields(talk.setup).length === 0
  const send = () => {
    if (isReady && !isRunning) hand.send()
  }
  return (
    <form
      className={styles['composer']}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Stack gap={6}>
        <Textarea
          label={t('message')}
          description={t('messageHint')}
          autosize
          minRows={2}
          maxRows={10}
          maxLength={200_000}
          value={talk.draft}
          onChange={(event) => hand.type(event.currentTarget.value)}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            send()
          }}
        />
        <Group gap="xs">
          {isRunning ? (
            <Button color="red" onClick={hand.cancel}>
              {t('stop')}
            </Button>
          ) : (
            <Button type="submit" disabled={!isReady}>
              {t('send')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
