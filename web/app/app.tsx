/** The root of the app: first the session, then the shell and the requested page. */
import { Center, Stack } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { ApiFailure, call, setCsrfToken } from '../api/call.ts'
import { currentSession, type Session } from '../api/session.ts'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { useText } from '../text/text.ts'
import { useChooseLanguage } from './language.tsx'
import { router } from './router.tsx'
import { SessionProvider } from './session.tsx'
import { announceSignOut, claimTabStorage, onOtherTabSignedOut } from './tab-storage.ts'
import { appText } from './text.ts'

const Welcome = lazy(() => import('./welcome.tsx'))

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // A refusal would be repeated; only requests that did not reach the service are retried.
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiFailure && (error.status === 0 || error.status >= 502),
    },
  },
})

type State =
  | { is: 'starting' }
  | { is: 'unreachable'; error: unknown }
  | { is: 'outside'; isSetupNeeded: boolean; hasSignedOut?: 'here' | 'elsewhere'; passwordSecret?: string }
  | { is: 'inside'; session: Session }

export function App() {
  const [state, setState] = useState<State>({ is: 'starting' })
  const choose = useChooseLanguage()
  const begin = useCallback(async () => {
    setState({ is: 'starting' })
    const passwordSecret = passwordLinkSecret()
    if (passwordSecret !== undefined) return setState({ is: 'outside', isSetupNeeded: false, passwordSecret })
    try {
      const session = await currentSession()
      if (session) setState({ is: 'inside', session })
      else setState({ is: 'outside', isSetupNeeded: (await call('GET /v1/admin/auth/setup', {})).is_needed })
    } catch (error) {
      setState({ is: 'unreachable', error })
    }
  }, [])
  useEffect(() => void begin(), [begin])
  const signedOut = useCallback((hasSignedOut: 'here' | 'elsewhere') => {
    queries.clear()
    setState({ is: 'outside', isSetupNeeded: false, hasSignedOut })
  }, [])
  const signedOutHere = useCallback(() => {
    announceSignOut()
    signedOut('here')
  }, [signedOut])
  // An effect, so that it runs after the pages have stored their drafts while unmounting.
  useEffect(() => {
    if (state.is === 'inside') claimTabStorage(state.session.operator.id)
    if (state.is === 'outside' && state.hasSignedOut) claimTabStorage(undefined)
  }, [state])
  const isInside = state.is === 'inside'
  useEffect(() => (isInside ? onOtherTabSignedOut(() => signedOut('elsewhere')) : undefined), [isInside, signedOut])

  switch (state.is) {
    case 'starting':
      return <Starting />
    case 'unreachable':
      return (
        <Center mih="100dvh" p="md" component="main">
          <Stack maw={560}>
            <ErrorPanel error={state.error} onRetry={() => void begin()} />
          </Stack>
        </Center>
      )
    case 'outside':
      return (
        <Suspense fallback={<Starting />}>
          <Welcome
            isSetupNeeded={state.isSetupNeeded}
            passwordSecret={state.passwordSecret}
            hasSignedOutElsewhere={state.hasSignedOut === 'elsewhere'}
            onPasswordSet={() => {
              router.history.replace('/')
              void begin()
            }}
            onLanguage={choose}
            onSignedIn={(session) => {
              setCsrfToken(session.csrf_token)
              setState({ is: 'inside', session })
            }}
          />
        </Suspense>
      )
    case 'inside':
      return (
        <QueryClientProvider client={queries}>
          <SessionProvider first={state.session} onSignedOut={signedOutHere}>
            <RouterProvider router={router} />
          </SessionProvider>
        </QueryClientProvider>
      )
    default:
      return state satisfies never
  }
}

/** Of the address of a one-time link, whoever is signed in here: the link may be of somebody else. */
function passwordLinkSecret(): string | undefined {
  const secret = location.hash.slice(1)
  return location.pathname === '/set-password' && secret !== '' ? secret : undefined
}

function Starting() {
  const t = useText(appText)
  return (
    <main className="starting" aria-busy>
      <img src="/icon.svg" alt={t('starting')} width="48" height="48" />
    </main>
  )
}
