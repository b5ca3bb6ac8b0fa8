/** Who is signed in. When a session ends in mid-work the page stays, with a login in front of it. */
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
import { call, NotAnswered, onAsked, rememberCsrfToken } from '../api/call.ts'
import type { Permission, Session } from '../api/session.ts'
import type { Asked } from './ask-again.tsx'

const AskAgain = lazy(() => import('./ask-again.tsx'))

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

interface Waiting {
  what: Asked
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
  const [asked, setAsked] = useState<Asked>()
  const waiting = useRef<Waiting[]>([])

  /** All calls that meet the same want wait for one answer. */
  const ask = useCallback((what: Asked) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.current.push({ what, resolve, reject })
    setAsked((before) => (before === 'sign-in' ? before : what))
    return promise
  }, [])

  const answered = useCallback((isDone: boolean) => {
    setAsked(undefined)
    for (const one of waiting.current.splice(0)) {
      if (isDone) one.resolve()
      else one.reject(new NotAnswered())
    }
  }, [])

  useEffect(() => {
    onAsked({ signInAgain: () => ask('sign-in'), confirmAgain: () => ask('confirm') })
  }, [ask])

  const state = useMemo<SessionState>(() => {
    const permissions = new Set(session.permissions)
    return {
      session,
      may: (permission) => permissions.has(permission),
      signedIn(next) {
        rememberCsrfToken(next.csrf_token)
        setSession(next)
      },
      async signOut() {
        await call('POST /v1/admin/auth/logout', {})
        onSignedOut()
      },
    }
  }, [session, onSignedOut])

  return (
    <SessionContext value={state}>
      {children}
      {asked && (
        <Suspense>
          <AskAgain
            what={asked}
            login={session.operator.login}
            workspaceId={session.workspace_id}
            onSignedIn={state.signedIn}
            onDone={() => answered(true)}
            onRefused={() => answered(false)}
          />
        </Suspense>
      )}
    </SessionContext>
  )
}
