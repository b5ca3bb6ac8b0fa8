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
import { logOut, NotAnswered, onAsked, rememberCsrfToken } from '../api/call.ts'
import type { Permission, Session } from '../api/session.ts'
import type { Asked } from './reauthenticate.tsx'

const AskAgain = lazy(() => import('./reauthenticate.tsx'))

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

  const isRefused = useRefused()

  /** All calls that meet the same want wait for one answer. */
  const ask = useCallback(
    (what: Asked) => {
      if (what === 'sign-in' && isRefused.current) return Promise.reject(new NotAnswered())
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.current.push({ resolve, reject })
      setAsked((before) => (before === 'sign-in' ? before : what))
      return promise
    },
    [isRefused],
  )

  const answered = useCallback((isDone: boolean) => {
    setAsked(undefined)
    for (const one of waiting.current.splice(0)) {
      if (isDone) one.resolve()
      else one.reject(new NotAnswered())
    }
  }, [])

  useEffect(() => {
    onAsked({ signInAgain: () => ask('sign-in'), confirmAgain: () => ask('confirm') })
    return () => {
      onAsked(undefined)
      answered(false)
    }
  }, [ask, answered])

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
        await logOut()
        onSignedOut()
      },
    }
  }, [session, onSignedOut])

  /** What waits is sent again for the one who was here before, in the same workspace, and for nobody else. */
  function signedInAgain(next: Session): void {
    const isSame = next.operator.id === session.operator.id && next.workspace_id === session.workspace_id
    if (!isSame) {
      location.assign('/')
      return
    }
    state.signedIn(next)
    answered(true)
  }

  return (
    <SessionContext value={state}>
      {children}
      {asked && (
        <Suspense>
          <AskAgain
            what={asked}
            login={session.operator.login}
            workspaceId={session.workspace_id}
            onSignedIn={signedInAgain}
            onConfirmed={() => answered(true)}
            onRefused={() => {
              isRefused.current = true
              answered(false)
            }}
          />
        </Suspense>
      )}
    </SessionContext>
  )
}

const deeds = ['pointerdown', 'keydown', 'popstate'] as const

/** Whoever would rather not sign in again is not asked by what goes on by itself, until they do something. */
function useRefused() {
  const isRefused = useRef(false)
  useEffect(() => {
    const forget = () => {
      isRefused.current = false
    }
    for (const deed of deeds) addEventListener(deed, forget, true)
    return () => {
      for (const deed of deeds) removeEventListener(deed, forget, true)
    }
  }, [])
  return isRefused
}
