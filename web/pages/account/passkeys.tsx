/** The operator's passkeys: created, renamed, removed; or why this page cannot use them. */

import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { factorText } from '../../app/factor-text.ts'
import { passkeyObstacle } from '../../app/passkey.ts'
import { Banner } from '../../parts/banner.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { NewPasskey, RenamePasskey } from './passkey-forms.tsx'
import { accountText } from './text.ts'

type Passkey = Answer<'GET /v1/admin/auth/passkeys'>['items'][number]
type OpenDialog = { is: 'make' } | { is: 'rename' | 'remove'; passkey: Passkey }

interface PasskeysProps {
  /** Recovery codes that came with the first second factor. */
  onCodes(codes: string[]): void
  onChanged(): void
}

export function Passkeys({ onCodes, onChanged }: PasskeysProps) {
  const t = useText(accountText)
  const c = useText(sharedText)
  const f = useText(factorText)
  const obstacle = passkeyObstacle()
  const [dialog, setDialog] = useState<OpenDialog>()
  const list = useQuery({
    queryKey: ['account', 'passkeys'],
    queryFn: ({ signal }) => call('GET /v1/admin/auth/passkeys', { signal }),
  })
  const close = () => setDialog(undefined)
  const changed = () => {
    close()
    onChanged()
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text fw={600}>{t('passkeys')}</Text>
        {obstacle === undefined && (
          <Button size="xs" variant="default" onClick={() => setDialog({ is: 'make' })}>
            {t('passkeyNew')}
          </Button>
        )}
      </Group>
      {obstacle && <Banner tone="info">{f(obstacle)}</Banner>}
      <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      {list.data?.items.length === 0 && <Text c="dimmed">{t('passkeysNone')}</Text>}
      {list.data?.items.map((passkey) => (
        <PasskeyLine key={passkey.id} passkey={passkey} onDo={(is) => setDialog({ is, passkey })} />
      ))}
      {dialog?.is === 'make' && (
        <NewPasskey
          onMade={(codes) => {
            changed()
            if (codes) onCodes(codes)
          }}
          onClose={close}
        />
      )}
      {dialog?.is === 'rename' && <RenamePasskey passkey={dialog.passkey} onDone={changed} onClose={close} />}
      {dialog?.is === 'remove' && (
        <ConfirmAction
          title={t('removePasskeyTitle', { name: dialog.passkey.name })}
          actionLabel={c('remove')}
          messages={{ last_way_in: t('lastWayIn') }}
          onConfirm={async () => {
            await call('POST /v1/admin/auth/passkeys/remove', { body: { id: dialog.passkey.id } })
            changed()
          }}
          onClose={close}
        >
          {t('removeFactorWhy')}
        </ConfirmAction>
      )}
    </Stack>
  )
}

function PasskeyLine({ passkey, onDo }: { passkey: Passkey; onDo(is: 'rename' | 'remove'): void }) {
  const t = useText(accountText)
  const { name } = passkey
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text>{name}</Text>
        <Text size="sm" c="dimmed" component="div">
          {t('passkeyMade')} <Time iso={passkey.created_at} /> · {t('passkeyUsed')}{' '}
          <Time iso={passkey.used_at} never={t('passkeyUnused')} />
        </Text>
      </div>
      <Group gap={6} wrap="nowrap">
        <ActionIcon variant="default" aria-label={t('renameOf', { name })} onClick={() => onDo('rename')}>
          <Pencil size={15} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="default" aria-label={t('removeOf', { name })} onClick={() => onDo('remove')}>
          <Trash2 size={15} aria-hidden />
        </ActionIcon>
      </Group>
    </Group>
  )
}
