/** Deletes a channel after a confirmation. The built-in one has no such button. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { targetOf } from '../../parts/link-to.tsx'
import type { Removal } from '../../parts/removal.ts'
import { useText } from '../../text/text.ts'
import { channelText } from './text.ts'

interface DeleteChannelProps {
  name: string
  remove: Removal['remove']
}

export function DeleteChannel({ name, remove }: DeleteChannelProps) {
  const t = useText(channelText)
  const isWriter = useSession().may('channels.write')
  const [isOpen, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  const navigate = useNavigate()
  if (!isWriter || name === 'generic') return null
  async function confirmed(): Promise<void> {
    await remove(() => call('DELETE /v1/admin/channels/{name}', { params: { name } }))
    await queries.invalidateQueries({ queryKey: ['channels'] })
    await navigate(targetOf('/channels'))
    queries.removeQueries({ queryKey: ['channel', name] })
  }
  return (
    <div>
      <Button variant="default" color="red" onClick={open}>
        {t('deleteChannel')}
      </Button>
      {isOpen && (
        <ConfirmAction
          title={t('deleteTitle', { name })}
          actionLabel={t('deleteChannel')}
          onConfirm={confirmed}
          onClose={close}
        >
          {t('deleteWhy')}
        </ConfirmAction>
      )}
    </div>
  )
}
