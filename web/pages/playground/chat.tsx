/** A conversation with an agent or a model: the messages and the composer. Also used by the first steps. */
import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useText } from '../../text/text.ts'
import { wrongFields } from './conversation.ts'
import { ConversationItem } from './conversation-item.tsx'
import styles from './playground.module.css'
import { playgroundText } from './text.ts'
import type { ConversationState } from './use-conversation.ts'

export function Chat({ state, empty }: { state: ConversationState; empty: string }) {
  const t = useText(playgroundText)
  const { conversation, isRunning, isStored } = state
  const latestRegenerate = useRef(state.regenerate)
  latestRegenerate.current = state.regenerate
  // The same function at each render, so that the memoized items stay as they are.
  const regenerate = useRef(() => latestRegenerate.current()).current
  return (
    <Stack gap="md">
      <Stack gap="md" component="section" aria-label={t('talk')} aria-live="off">
        {conversation.items.length === 0 && <Text c="dimmed">{empty}</Text>}
        {conversation.items.map((item, at) => (
          <ConversationItem
            key={item.id}
            item={item}
            onRegenerate={at === conversation.items.length - 1 && !isRunning ? regenerate : undefined}
          />
        ))}
      </Stack>
      <End of={conversation.items.at(-1)} />
      {!isStored && (
        <Text size="sm" c="dimmed" role="status">
          {t('notKept')}
        </Text>
      )}
      <Composer state={state} />
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

function Composer({ state }: { state: ConversationState }) {
  const t = useText(playgroundText)
  const { conversation, isRunning } = state
  const isReady =
    conversation.setup.model.trim() !== '' &&
    conversation.draft.trim() !== '' &&
    wrongFields(conversation.setup).length === 0
  const send = () => {
    if (isReady && !isRunning) state.send()
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
          value={conversation.draft}
          onChange={(event) => state.type(event.currentTarget.value)}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            send()
          }}
        />
        <Group gap="sm">
          {isRunning ? (
            <Button color="red" onClick={state.cancel}>
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
