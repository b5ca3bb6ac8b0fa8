/** Actions on the whole conversation. */
import { Button } from '@mantine/core'
import { Download, Eraser, FolderInput, GitFork } from 'lucide-react'
import { call, open } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { MoreMenu } from '../../parts/more-menu.tsx'
import type { MenuAction } from '../../parts/more-menu-list.tsx'
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
  const writing: MenuAction[] = [
    { label: t('organize'), icon: FolderInput, onClick: () => onDialog({ is: 'organize' }) },
    { label: t('fork'), icon: GitFork, onClick: () => onDialog({ is: 'fork' }) },
    {
      label: t('reset'),
      icon: Eraser,
      onClick() {
        if (!window.confirm(t('resetSure'))) return
        run(async () => {
          await call('POST /v1/admin/conversations/reset', { body })
        })
      },
    },
  ]
  const actions: MenuAction[] = [
    ...(isWriter ? writing : []),
    {
      label: t('exportMd'),
      icon: Download,
      isApart: isWriter,
      onClick: () => run(() => download(conversation.id, 'md')),
    },
    { label: t('exportJson'), icon: Download, onClick: () => run(() => download(conversation.id, 'json')) },
  ]
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
      <MoreMenu label={t('more')} actions={actions} />
    </>
  )
}

async function download(id: string, format: 'md' | 'json'): Promise<void> {
  const response = await open('GET /v1/admin/conversations/export', { query: { conversation_id: id, format } })
  saveFile(`conversation-${id}.${format}`, await response.blob())
}
