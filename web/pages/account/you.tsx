/** The operator's login and name; the name can be changed if the role permits it. */
import { Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { operatorsText } from '../operators/text.ts'
import { Section } from './section.tsx'
import { accountText } from './text.ts'

export function You() {
  const t = useText(accountText)
  const o = useText(operatorsText)
  const c = useText(sharedText)
  const { session, may, signedIn } = useSession()
  const { id, login, name: currentName } = session.operator
  const [name, setName] = useState(currentName)
  const { error, isBusy, submit } = useSubmit(async () => {
    await call('POST /v1/admin/operators/update', { body: { operator_id: id, name } })
    signedIn(await call('GET /v1/admin/auth/session', {}))
  })
  return (
    <Section title={t('you')}>
      <Text>
        {t('login')}: <b>{login}</b> · {t('role')}: <b>{o(session.role)}</b>
      </Text>
      {may('operators.write') ? (
        <form onSubmit={submit}>
          <Group align="flex-end" gap="sm">
            <TextInput
              label={t('fullName')}
              autoComplete="name"
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" variant="default" loading={isBusy} disabled={name.trim() === currentName}>
              {c('save')}
            </Button>
          </Group>
        </form>
      ) : (
        currentName !== '' && (
          <Text>
            {t('fullName')}: {currentName}
          </Text>
        )
      )}
      <ErrorPanel error={error} />
    </Section>
  )
}
