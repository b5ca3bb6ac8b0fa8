/** `POST /v1/admin/auth/set-password`: an operator sets the password with the one-time link that somebody made for them. */
import { z } from 'zod'
import { defaultWorkspace } from '../../../store/default-workspace.ts'
import { loginOfPasswordLink, setPasswordByLink } from '../../../store/operators/password-links.ts'
import { open } from '../../access.ts'
import { refuseGuessable } from '../../auth/common-passwords.ts'
import { passwordLinkHash } from '../../auth/password-link.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { broadcastOperatorChange } from '../operators/broadcast-change.ts'
import { Password } from './setup.ts'
import { refuseGuessing } from './sign-in-guard.ts'

export const setPasswordRoute = route({
  method: 'POST',
  path: '/v1/admin/auth/set-password',
  issues: 'password',
  summary: 'Set the password with a one-time link',
  description:
    'The link is of POST /v1/admin/operators or …/reset-password; its secret stands after the #. It works once. All ' +
    'sessions of the operator end; then they sign in, with their second factor if they have one.',
  tag: 'sign-in',
  access: open,
  body: z.strictObject({ secret: z.string().min(1).max(100), password: Password }),
  answers: { 200: z.object({ ok: z.literal(true), login: z.string() }) },
  async handle(call) {
    const { app, body, clientIp, requestId } = call
    // The secret is too long to be guessed from many addresses, so failures of one address do not delay others.
    const account = `LINK FROM ${clientIp}`
    await refuseGuessing(call, account, 'password link')
    const hash = passwordLinkHash(body.secret)
    // Before the password is hashed, which costs more than a stranger may ask for.
    const owner = await loginOfPasswordLink(app.db, hash)
    if (owner !== undefined) refuseGuessable(body.password, owner, 'password')
    const login = owner === undefined ? undefined : await redeem()
    if (login === undefined) {
      app.auth.limit.failed(clientIp, account)
      throw new ApiError(
        'link_refused',
        'This link was used, has expired or was replaced by another one. Ask for a new one.',
      )
    }
    await broadcastOperatorChange(app)
    return { ok: true, login }

    async function redeem(): Promise<string | undefined> {
      const passwordHash = await app.auth.passwords.hash(body.password)
      const actor = { workspaceId: defaultWorkspace(app), ip: clientIp, requestId }
      return await setPasswordByLink(app.db, { hash, passwordHash }, actor)
    }
  },
})
