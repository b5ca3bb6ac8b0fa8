/** The session. When it ends, the page stays, and a sign-in dialog opens over it. */
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { logOut, SignInDeclined, setAuthenticationHooks, setCsrfToken } from '../api/call.ts'
import type { Permission, Session } from '../api/session.ts'
import type { AuthenticationPrompt } from './reauthenticate.tsx'

const Reauthenticate = lazy(() => import('./reauthenticate.tsx'))

interface SessionState {
  session: Session
  may(permission: Permission): boolean
  signedIn(session: Session): void
  signOut(): Promise<void>
}

const SessionContext = createContext<SessionState | undefined>(undefined)

export function useSession(): SessionState {
  const state = useContext(SessionContext)
  if (!state) throw new Error('used outside of a session')
  return state
}

interface PendingCall {
  resolve(): void
  reject(error: unknown): void
}

export function SessionProvider({
  first,
  onSignedOut,
  children,
}: {
  first: Session
  onSignedOut(): void
  children: ReactNode
}) {
  const [session, setSession] = useState(first)
  const [prompt, setPrompt] = useState<AuthenticationPrompt>()
  const waiting = useRef<PendingCall[]>([])

  const isRefused = useDeclined()

  /** All calls that need it wait for the same dialog. */
  const ask = useCallback(
    (what: AuthenticationPrompt) => {
      if (what === 'sign-in' && isRefused.current) return Promise.reject(new SignInDeclined())
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.current.push({ resolve, reject })
      setPrompt((before) => (before === 'sign-in' ? before : what))
      return promise
    },
    [isRefused],
  )

  const settle = useCallback((isDone: boolean) => {
    setPrompt(undefined)
    for (const one of waiting.current.splice(0)) {
      if (isDone) one.resolve()
      else one.reject(new SignInDeclined())
    }
  }, [])

  useEffect(() => {
    setAuthenticationHooks({ signInAgain: () => ask('sign-in'), confirmAgain: () => ask('confirm') })
    return () => {
      setAuthenticationHooks(undefined)
      settle(false)
    }
  }, [ask, settle])

  const state = useMemo<SessionState>(() => {
    const permissions = new Set(session.permissions)
    return {
      session,
      may: (permission) => permissions.has(permission),
      signedIn(next) {
        setCsrfToken(next.csrf_token)
        setSession(next)
      },
      async signOut() {
        await logOut()
        onSignedOut()
      },
    }
  }, [session, onSignedOut])

  /** Pending calls are repeated only for the same operator in the same workspace. */
  function signedInAgain(next: Session): void {
    const isSame = next.operator.id === session.operator.id && next.workspace_id === session.workspace_id
    if (!isSame) {
      location.assign('/')
      return
    }
    state.signedIn(next)
    settle(true)
  }

  return (
    <SessionContext value={state}>
      {children}
      {prompt && (
        <Suspense>
          <Reauthenticate
            what={prompt}
            login={session.operator.login}
            workspaceId={session.workspace_id}
            onSignedIn={signedInAgain}
            onConfirmed={() => settle(true)}
            onRefused={() => {
              isRefused.current = true
              settle(false)
            }}
          />
        </Suspense>
      )}
    </SessionContext>
  )
}

const userEvents = ['pointerdown', 'keydown', 'popstate'] as const

/** After the dialog was closed, background requests do not open it again until the user acts. */
function useDeclined() {
  const isRefused = useRef(false)
  useEffect(() => {
    const forget = () => {
      isRefused.current = false
    }
    for (const name of userEvents) addEventListener(name, forget, true)
    return () => {
      for (const name of userEvents) removeEventListener(name, forget, true)
    }
  }, [])
  return isRefused
}
