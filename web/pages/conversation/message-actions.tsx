/** Actions on one message. */
import { ActionIcon, Group, Menu } from '@mantine/core'
import { EllipsisVertical, GitBranch, GitFork, ThumbsDown, ThumbsUp } from 'lucide-react'
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
            color={feedback?.rating === rating ? 'blue' : 'gray'}
            aria-label={t(word)}
            aria-pressed={feedback?.rating === rating}
            onClick={() => onDialog({ is: 'rate', message, rating })}
          >
            <Icon size={14} aria-hidden />
          </ActionIcon>
        ))}
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon size="sm" variant="subtle" color="gray" aria-label={t('messageActions', { n: message.seq })}>
            <EllipsisVertical size={14} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {role === 'user' && (
            <Menu.Item
              leftSection={<GitBranch size={14} aria-hidden />}
              onClick={() => onDialog({ is: 'branch', message })}
            >
              {t('branch')}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<GitFork size={14} aria-hidden />}
            onClick={() => onDialog({ is: 'fork', until: message })}
          >
            {t('forkHere')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
