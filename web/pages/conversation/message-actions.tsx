/** Actions on one message. */
import { ActionIcon, Group } from '@mantine/core'
import { GitBranch, GitFork, ThumbsDown, ThumbsUp } from 'lucide-react'
import { MoreMenu } from '../../parts/more-menu.tsx'
import { useText } from '../../text/text.ts'
import type { Dialog } from './dialogs.tsx'
import { conversationText } from './text.ts'
import type { Message } from './thread-state.ts'

export function MessageActions({ message, onDialog }: { message: Message; onDialog(dialog: Dialog): void }) {
  const t = useText(conversationText)
  const { role, feedback } = message
  return (
    <Group gap={2} wrap="nowrap">
      {role === 'assistant' &&
        (
          [
            [1, 'good', ThumbsUp],
            [-1, 'bad', ThumbsDown],
          ] as const
        ).map(([rating, word, Icon]) => (
          <ActionIcon
            key={word}
            size="sm"
            variant={feedback?.rating === rating ? 'filled' : 'subtle'}
            color={feedback?.rating === rating ? 'brand' : 'gray'}
            aria-label={t(word)}
            aria-pressed={feedback?.rating === rating}
            onClick={() => onDialog({ is: 'rate', message, rating })}
          >
            <Icon size={14} aria-hidden />
          </ActionIcon>
        ))}
      <MoreMenu
        isSmall
        label={t('messageActions', { n: message.seq })}
        actions={[
          ...(role === 'user'
            ? [{ label: t('branch'), icon: GitBranch, onClick: () => onDialog({ is: 'branch', message }) }]
            : []),
          { label: t('forkHere'), icon: GitFork, onClick: () => onDialog({ is: 'fork', until: message }) },
        ]}
      />
    </Group>
  )
}
