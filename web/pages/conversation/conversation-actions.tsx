/** Actions on the whole conversation. */
import { ActionIcon, Button, Menu } from '@mantine/core'
import { Download, Ellipsis, Eraser, FolderInput, GitFork } from 'lucide-react'
import { call, open } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useText } from '../../text/text.ts'
import type { Conversation } from './conversation.ts'
import type { Dialog } from './dialogs.tsx'
import { conversationText } from './text.ts'

interface ActionsProps {
  conversation: Conversation
  onDialog(dialog: Dialog): void
  /** Runs the action, shows its error, and reloads the page's data. */
  run(work: () => Promise<void>): void
}

export function ConversationActions({ conversation, onDialog, run }: ActionsProps) {
  const t = useText(conversationText)
  const { may } = useSession()
  const body = { conversation_id: conversation.id }
  const isWriter = may('conversations.write')
  return (
    <>
      {isWriter && (
        <Button
          variant="default"
          size="sm"
          onClick={() =>
            run(async () => {
              await call('POST /v1/admin/conversations/regenerate', { body })
            })
          }
        >
          {t('regenerate')}
        </Button>
      )}
      <Menu position="bottom-end" withinPortal width={230}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t('more')}>
            <Ellipsis size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isWriter && (
            <>
              <Menu.Item
                leftSection={<FolderInput size={15} aria-hidden />}
                onClick={() => onDialog({ is: 'organize' })}
              >
                {t('organize')}
              </Menu.Item>
              <Menu.Item leftSection={<GitFork size={15} aria-hidden />} onClick={() => onDialog({ is: 'fork' })}>
                {t('fork')}
              </Menu.Item>
              <Menu.Item
                leftSection={<Eraser size={15} aria-hidden />}
                onClick={() => {
                  if (!window.confirm(t('resetSure'))) return
                  run(async () => {
                    await call('POST /v1/admin/conversations/reset', { body })
                  })
                }}
              >
                {t('reset')}
              </Menu.Item>
              <Menu.Divider />
            </>
          )}
          {(['md', 'json'] as const).map((format) => (
            <Menu.Item
              key={format}
              leftSection={<Download size={15} aria-hidden />}
              onClick={() => run(() => download(conversation.id, format))}
            >
              {t(format === 'md' ? 'exportMd' : 'exportJson')}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

async function download(id: string, format: 'md' | 'json'): Promise<void> {
  const response = await open('GET /v1/admin/conversations/export', { query: { conversation_id: id, format } })
  saveFile(`conversation-${id}.${format}`, await response.blob())
}
