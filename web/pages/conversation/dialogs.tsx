/** Forms that act on the conversation or one of its messages: fork, branch, feedback, folder and tags. */

import { NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { Dialog as DialogWindow } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { targetOf } from '../../parts/link-to.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { TagsField } from '../../parts/tags-field.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { plainText } from './content.ts'
import type { Conversation } from './conversation.ts'
import { conversationText } from './text.ts'
import type { Message } from './thread-state.ts'

export type Dialog =
  | { is: 'fork'; until?: Message }
  | { is: 'branch'; message: Message }
  | { is: 'rate'; message: Message; rating: Rating }
  | { is: 'organize' }
export type Rating = -1 | 0 | 1

interface DialogProps {
  conversation: Conversation
  dialog: Dialog
  onClose(): void
  onRated(id: string, feedback: Message['feedback']): void
}

export function ConversationDialog({ conversation, dialog, onClose, onRated }: DialogProps) {
  switch (dialog.is) {
    case 'fork':
      return <Fork conversation={conversation} until={dialog.until} onClose={onClose} />
    case 'branch':
      return <BranchOff conversation={conversation} message={dialog.message} onClose={onClose} />
    case 'rate':
      return <Rate message={dialog.message} rating={dialog.rating} onClose={onClose} onRated={onRated} />
    case 'organize':
      return <Organize conversation={conversation} onClose={onClose} />
    default:
      return dialog satisfies never
  }
}

interface FrameProps {
  title: string
  about?: string
  action: string
  work(): Promise<void>
  onClose(): void
  children: ReactNode
}

function Frame({ title, about, action, work, onClose, children }: FrameProps) {
  const { error, isBusy, submit } = useSubmit(work)
  return (
    <DialogWindow onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          {about && <Text>{about}</Text>}
          {children}
          <ErrorPanel error={error} />
          <FormButtons action={action} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </DialogWindow>
  )
}

function Fork({
  conversation,
  until,
  onClose,
}: {
  conversation: Conversation
  until: Message | undefined
  onClose(): void
}) {
  const t = useText(conversationText)
  const navigate = useNavigate()
  const [title, setTitle] = useState(conversation.title)
  async function work(): Promise<void> {
    const body = { conversation_id: conversation.id, title, ...(until && { until_message_id: until.id }) }
    const created = await call('POST /v1/admin/conversations/fork', { body })
    onClose()
    await navigate(targetOf(`/conversations/${created.conversation_id}`))
  }
  return (
    <Frame
      title={t('forkTitle')}
      about={t(until ? 'forkWhatUntil' : 'forkWhat')}
      action={t('forkDo')}
      work={work}
      onClose={onClose}
    >
      <TextInput
        label={t('copyTitle')}
        maxLength={200}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
    </Frame>
  )
}

function BranchOff({
  conversation,
  message,
  onClose,
}: {
  conversation: Conversation
  message: Message
  onClose(): void
}) {
  const t = useText(conversationText)
  const navigate = useNavigate()
  const [text, setText] = useState(() => plainText(message.content, t))
  async function work(): Promise<void> {
    const body = { conversation_id: conversation.id, message_id: message.id, text }
    const created = await call('POST /v1/admin/conversations/branch', { body })
    onClose()
    await navigate(targetOf(`/conversations/${created.conversation_id}`))
  }
  return (
    <Frame title={t('branchTitle')} about={t('branchWhat')} action={t('branchDo')} work={work} onClose={onClose}>
      <Textarea
        label={t('branchText')}
        required
        autosize
        minRows={3}
        maxRows={14}
        maxLength={200_000}
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </Frame>
  )
}

interface RateProps {
  message: Message
  rating: Rating
  onClose(): void
  onRated: DialogProps['onRated']
}

function Rate({ message, rating: first, onClose, onRated }: RateProps) {
  const t = useText(conversationText)
  const c = useText(sharedText)
  const [rating, setRating] = useState<Rating>(first)
  const [comment, setComment] = useState(message.feedback?.comment ?? '')
  async function work(): Promise<void> {
    const storedComment = comment.trim() || null
    await call('POST /v1/admin/conversations/feedback', {
      body: { message_id: message.id, rating, comment: storedComment },
    })
    onRated(message.id, rating === 0 && storedComment === null ? null : { rating, comment: storedComment })
    onClose()
  }
  return (
    <Frame title={t('feedbackTitle')} action={c('save')} work={work} onClose={onClose}>
      <NativeSelect
        label={t('rating')}
        value={`${rating}`}
        onChange={(event) => setRating(Number(event.currentTarget.value) as Rating)}
        data={[
          { value: '1', label: t('ratingGood') },
          { value: '-1', label: t('ratingBad') },
          { value: '0', label: t('ratingNone') },
        ]}
      />
      <Textarea
        label={t('comment')}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={2_000}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </Frame>
  )
}

function Organize({ conversation, onClose }: { conversation: Conversation; onClose(): void }) {
  const t = useText(conversationText)
  const c = useText(sharedText)
  const queries = useQueryClient()
  const [folder, setFolder] = useState(conversation.folder ?? '')
  const [tags, setTags] = useState(conversation.tags)
  async function work(): Promise<void> {
    const body = { conversation_id: conversation.id, folder: folder.trim() || null, tags }
    await call('POST /v1/admin/conversations/organize', { body })
    await queries.invalidateQueries({ queryKey: ['conversation', conversation.id] })
    void queries.invalidateQueries({ queryKey: ['conversations'] })
    onClose()
  }
  return (
    <Frame title={t('organize')} action={c('save')} work={work} onClose={onClose}>
      <TextInput
        label={t('folder')}
        maxLength={200}
        value={folder}
        onChange={(event) => setFolder(event.currentTarget.value)}
      />
      <TagsField
        label={t('tags')}
        placeholder={t('tagsHint')}
        maxTags={50}
        acceptValueOnBlur
        value={tags}
        onChange={setTags}
      />
    </Frame>
  )
}
