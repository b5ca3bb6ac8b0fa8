/** Before the session: signing in, or creating the first operator. */

import { Anchor, Button, Card, Center, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ApiFailure, call } from '../api/call.ts'
import type { Session } from '../api/session.ts'
import { Banner } from '../parts/banner.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { useSubmit } from '../parts/submit.ts'
import { type languages, useText } from '../text/text.ts'
import { lastLogin } from './browser-settings.ts'
import { LoginForm } from './login-form.tsx'
import { router } from './router.tsx'
import { SetPasswordForm } from './set-password-form.tsx'
import { signInText } from './sign-in-text.ts'
import { appText } from './text.ts'

interface WelcomeProps {
  isSetupNeeded: boolean
  /** Of a one-time link by which a password is set. */
  passwordSecret: string | undefined
  /** In another tab, which ends it in all. */
  hasSignedOutElsewhere: boolean
  onPasswordSet(): void
  onSignedIn(session: Session): void
  onLanguage(language: (typeof languages)[number]): void
}

export default function Welcome(props: WelcomeProps) {
  const { isSetupNeeded, passwordSecret, hasSignedOutElsewhere, onLanguage } = props
  const a = useText(appText)
  const t = useText(signInText)
  return (
    <Center mih="100dvh" p="md" bg="var(--sub)" component="main">
      <Stack w="100%" maw={400}>
        <Title order={1} ta="center">
          {a('product')}
        </Title>
        {!window.isSecureContext && <Banner tone="warn">{t('insecure')}</Banner>}
        {hasSignedOutElsewhere && (
          <Banner tone="info" role="status">
            {t('signedOutElsewhere')}
          </Banner>
        )}
        <Card padding={20} shadow="md">
          <Stack>
            <Title order={2}>
              {t(passwordSecret !== undefined ? 'setPassword' : isSetupNeeded ? 'setupTitle' : 'signInTitle')}
            </Title>
            <Form {...props} />
          </Stack>
        </Card>
        <Group justify="center" gap="lg">
          <LanguageLink onClick={() => onLanguage('en')}>English</LanguageLink>
          <LanguageLink onClick={() => onLanguage('ru')}>Русский</LanguageLink>
        </Group>
      </Stack>
    </Center>
  )
}

function Form({ isSetupNeeded, passwordSecret, onPasswordSet, onSignedIn }: WelcomeProps) {
  if (passwordSecret !== undefined) return <SetPasswordForm secret={passwordSecret} onDone={onPasswordSet} />
  return isSetupNeeded ? <SetupForm onSignedIn={onSignedIn} /> : <LoginForm onSignedIn={onSignedIn} />
}

function LanguageLink({ onClick, children }: { onClick(): void; children: ReactNode }) {
  return (
    <Anchor component="button" type="button" onClick={onClick}>
      {children}
    </Anchor>
  )
}

function SetupForm({ onSignedIn }: { onSignedIn(session: Session): void }) {
  const t = useText(signInText)
  const [fields, setFields] = useState({ code: '', login: '', name: '', password: '' })
  const { error, isBusy, submit } = useSubmit(async () => {
    const session = await call('POST /v1/admin/auth/setup', { body: fields })
    lastLogin.set(session.operator.login)
    if (location.pathname === '/') router.history.replace('/first-steps')
    onSignedIn(session)
  })
  const isWrongCode = error instanceof ApiFailure && error.code === 'setup_code_wrong'
  const field = (name: keyof typeof fields) => ({
    value: fields[name],
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      const { value } = event.currentTarget
      setFields((before) => ({ ...before, [name]: value }))
    },
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{t('setupWhy')}</Text>
        <TextInput
          label={t('setupCode')}
          description={t('setupCodeHint')}
          required
          autoComplete="off"
          spellCheck={false}
          autoFocus
          error={isWrongCode && t('setupCodeWrong')}
          {...field('code')}
        />
        <TextInput label={t('login')} name="username" autoComplete="username" required {...field('login')} />
        <TextInput label={t('yourName')} autoComplete="name" {...field('name')} />
        <PasswordInput
          label={t('password')}
          description={t('passwordHint')}
          name="new-password"
          autoComplete="new-password"
          minLength={10}
          required
          {...field('password')}
        />
        {!isWrongCode && <ErrorPanel error={error} />}
        <Button type="submit" loading={isBusy}>
          {t('createOwner')}
        </Button>
      </Stack>
    </form>
  )
}
