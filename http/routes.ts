/** The route table: one import and one line a route. What is not here is not served. */
import { about } from './admin/about.ts'
import { listActors } from './admin/actors/list.ts'
import { createAgentRoute, deleteAgentRoute, updateAgentRoute } from './admin/agents/change.ts'
import { listAgentsRoute, readAgentRoute } from './admin/agents/list.ts'
import { listAgentVersions, restoreAgentVersion } from './admin/agents/versions.ts'
import { createKey } from './admin/apikeys/create.ts'
import { listKeys } from './admin/apikeys/list.ts'
import { revokeKey } from './admin/apikeys/revoke.ts'
import { rotateKey } from './admin/apikeys/rotate.ts'
import { approvals, decide } from './admin/approvals/routes.ts'
import { exportAuditLog } from './admin/audit/export.ts'
import { listAuditLog } from './admin/audit/list.ts'
import { verifyAuditLog } from './admin/audit/verify.ts'
import { confirm, confirmOptions } from './admin/auth/confirm.ts'
import { factors } from './admin/auth/factors.ts'
import { logIn } from './admin/auth/login.ts'
import { passkeyLogin, passkeyLoginOptions } from './admin/auth/passkey-login.ts'
import {
  passkeyRegister,
  passkeyRegisterOptions,
  passkeyRemove,
  passkeyRename,
  passkeys,
} from './admin/auth/passkeys.ts'
import { changePassword } from './admin/auth/password.ts'
import { makeRecoveryCodes } from './admin/auth/recovery-codes.ts'
import { logOut, readSession } from './admin/auth/session.ts'
import { endSessions, sessions } from './admin/auth/sessions.ts'
import { isSetupNeeded, setUp } from './admin/auth/setup.ts'
import { totpBegin, totpConfirm, totpRemove } from './admin/auth/totp.ts'
import { listAdapters } from './admin/channels/adapters.ts'
import { bind, bindings, unbind } from './admin/channels/bindings.ts'
import { changeChannel, createChannelRoute } from './admin/channels/configure.ts'
import { listChannels, readChannel } from './admin/channels/list.ts'
import { testChannel } from './admin/channels/test.ts'
import { branch } from './admin/conversations/branch.ts'
import { exportConversation } from './admin/conversations/export.ts'
import { giveFeedback } from './admin/conversations/feedback.ts'
import { fork } from './admin/conversations/fork.ts'
import { listAdminConversations } from './admin/conversations/list.ts'
import { listMessages } from './admin/conversations/messages.ts'
import { organize } from './admin/conversations/organize.ts'
import { organizeManyRoute } from './admin/conversations/organize-many.ts'
import { postToConversation } from './admin/conversations/post.ts'
import { readConversationRoute } from './admin/conversations/read.ts'
import { regenerate } from './admin/conversations/regenerate.ts'
import { resetContext } from './admin/conversations/reset.ts'
import { listConversationTurns } from './admin/conversations/turns.ts'
import { manyDeliveries } from './admin/deliveries/many.ts'
import { cancel, deliveries, delivery, retry } from './admin/deliveries/routes.ts'
import { readLog } from './admin/log/list.ts'
import { streamLog } from './admin/log/stream.ts'
import { deleteOperatorRoute, endSessionsRoute, resetPasswordRoute, updateOperator } from './admin/operators/change.ts'
import { listOperatorsRoute, readOperatorRoute } from './admin/operators/list.ts'
import { addOperator, createOperatorRoute } from './admin/operators/make.ts'
import { overview } from './admin/overview.ts'
import { createOwnKey, listOwnKeys, revokeOwnKey } from './admin/own-keys/routes.ts'
import { changeSettingsRoute, checkSettingsRoute } from './admin/settings/change.ts'
import { listSettings } from './admin/settings/list.ts'
import { testModel } from './admin/settings/test-model.ts'
import { signalSeries } from './admin/signal-series.ts'
import { signals } from './admin/signals.ts'
import { listTools } from './admin/tools/list.ts'
import { cancelTurnRoute } from './admin/turns/cancel.ts'
import { listTurnsRoute, readTurnRoute } from './admin/turns/list.ts'
import { resolveEffect, turnSteps, unknownEffects } from './admin/turns/steps.ts'
import { createWorkspaceRoute, listWorkspaces, renameWorkspaceRoute } from './admin/workspaces/routes.ts'
import { switchWorkspace } from './admin/workspaces/switch.ts'
import { createChatCompletion } from './chat/completions.ts'
import { streamEvents } from './events/stream.ts'
import { postInbound, postInboundOfChannel } from './inbound/post.ts'
import { openApi } from './openapi/route.ts'
import type { Route } from './route.ts'
import { clientLog } from './system/client-log.ts'
import { healthz } from './system/healthz.ts'
import { metrics } from './system/metrics.ts'
import { listModels } from './system/models.ts'
import { ping } from './system/ping.ts'
import { readyz } from './system/readyz.ts'
import { time } from './system/time.ts'
import { createTicket } from './web-chat/create-ticket.ts'
import { chatSocket } from './web-chat/socket.ts'
import { streamConversation } from './web-chat/stream.ts'

export const routes: readonly Route[] = [
  createChatCompletion,
  listModels,
  postInbound,
  postInboundOfChannel,
  streamEvents,
  createTicket,
  streamConversation,
  chatSocket,
  isSetupNeeded,
  setUp,
  logIn,
  passkeyLoginOptions,
  passkeyLogin,
  logOut,
  readSession,
  confirm,
  confirmOptions,
  sessions,
  endSessions,
  changePassword,
  factors,
  totpBegin,
  totpConfirm,
  totpRemove,
  makeRecoveryCodes,
  passkeys,
  passkeyRegisterOptions,
  passkeyRegister,
  passkeyRename,
  passkeyRemove,
  listAgentsRoute,
  readAgentRoute,
  createAgentRoute,
  updateAgentRoute,
  deleteAgentRoute,
  listAgentVersions,
  restoreAgentVersion,
  listTools,
  listChannels,
  listAdapters,
  createChannelRoute,
  readChannel,
  changeChannel,
  testChannel,
  bindings,
  bind,
  unbind,
  approvals,
  decide,
  listTurnsRoute,
  readTurnRoute,
  cancelTurnRoute,
  turnSteps,
  unknownEffects,
  resolveEffect,
  deliveries,
  delivery,
  retry,
  cancel,
  manyDeliveries,
  createKey,
  listKeys,
  revokeKey,
  rotateKey,
  listOwnKeys,
  createOwnKey,
  revokeOwnKey,
  listOperatorsRoute,
  readOperatorRoute,
  createOperatorRoute,
  addOperator,
  updateOperator,
  deleteOperatorRoute,
  resetPasswordRoute,
  endSessionsRoute,
  listWorkspaces,
  createWorkspaceRoute,
  renameWorkspaceRoute,
  switchWorkspace,
  overview,
  signals,
  signalSeries,
  about,
  listAdminConversations,
  listMessages,
  exportConversation,
  listConversationTurns,
  readConversationRoute,
  organize,
  organizeManyRoute,
  giveFeedback,
  postToConversation,
  resetContext,
  fork,
  regenerate,
  branch,
  listAuditLog,
  exportAuditLog,
  verifyAuditLog,
  listSettings,
  changeSettingsRoute,
  checkSettingsRoute,
  testModel,
  readLog,
  streamLog,
  listActors,
  metrics,
  healthz,
  readyz,
  ping,
  time,
  clientLog,
  openApi(() => routes),
]
