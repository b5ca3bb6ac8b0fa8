/** Posts a message to the conversation; the input stays until the service has accepted it. */
import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { useText } from '../../text/text.ts'
import type { Conversation } from './conversation.ts'
import { conversationText } from './text.ts'

export function Composer({ conversation, onPosted }: { conversation: Conversation; onPosted(): void }) {
  const t = useText(conversationText)
  const [text, setText] = useState('')
  useLeaveGuard(text.trim() !== '')
  const { error, isBusy, submit } = useSubmit(async () => {
    if (text.trim() === '') return
    await call('POST /v1/admin/conversations/post', { body: { conversation_id: conversation.id, text } })
    setText('')
    onPosted()
  })
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  const { channel, external_id: sender } = conversation
  return (
    <form onSubmit={submit}>
      <Stack gap={6}>
        <ErrorPanel error={error} />
        <Group align="flex-end" gap="sm" wrap="nowrap">
          <Textarea
            flex={1}
            aria-label={t('compose')}
            placeholder={t('compose')}
            autosize
            minRows={1}
            maxRows={8}
            maxLength={200_000}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <Button type="submit" loading={isBusy} disabled={text.trim() === ''}>
            {t('send')}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {t('composeHint')}
          {channel && sender && ` · ${t('composeToChannel', { sender, channel })}`}
        </Text>
      </Stack>
    </form>
  )
}
