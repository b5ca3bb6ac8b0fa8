/** Every route, one line each: what is not exported here is not served. */
export { about } from './admin/about.ts'
export { listActors } from './admin/actors/list.ts'
export { createAgentRoute, deleteAgentRoute, updateAgentRoute } from './admin/agents/change.ts'
export { listAgentsRoute, readAgentRoute } from './admin/agents/list.ts'
export { listAgentVersions, restoreAgentVersion } from './admin/agents/versions.ts'
export { listAlertsRoute, testAlerts } from './admin/alerts/routes.ts'
export {
  changeAlertRule,
  endAlertSilence,
  listAlertRules,
  listAlertSilences,
  silenceAlerts,
} from './admin/alerts/rules.ts'
export { createKey } from './admin/apikeys/create.ts'
export { listKeys, readKey } from './admin/apikeys/list.ts'
export { revokeKey } from './admin/apikeys/revoke.ts'
export { rotateKey } from './admin/apikeys/rotate.ts'
export { approvals, decide } from './admin/approvals/routes.ts'
export { exportAuditLog } from './admin/audit/export.ts'
export { listAuditLog } from './admin/audit/list.ts'
export { verifyAuditLog } from './admin/audit/verify.ts'
export { confirm, confirmOptions } from './admin/auth/confirm.ts'
export { factors } from './admin/auth/factors.ts'
export { logIn } from './admin/auth/login.ts'
export { passkeyLogin, passkeyLoginOptions } from './admin/auth/passkey-login.ts'
export {
  passkeyRegister,
  passkeyRegisterOptions,
  passkeyRemove,
  passkeyRename,
  passkeys,
} from './admin/auth/passkeys.ts'
export { changePassword } from './admin/auth/password.ts'
export { makeRecoveryCodes } from './admin/auth/recovery-codes.ts'
export { logOut, readSession } from './admin/auth/session.ts'
export { endSessions, sessions } from './admin/auth/sessions.ts'
export { setPasswordRoute } from './admin/auth/set-password.ts'
export { isSetupNeeded, setUp } from './admin/auth/setup.ts'
export { totpBegin, totpConfirm, totpRemove } from './admin/auth/totp.ts'
export { listAdapters } from './admin/channels/adapters.ts'
export { bind, bindings, unbind } from './admin/channels/bindings.ts'
export { changeChannel, createChannelRoute } from './admin/channels/configure.ts'
export { deleteChannelRoute } from './admin/channels/delete.ts'
export { listChannels, readChannel } from './admin/channels/list.ts'
export { testChannel } from './admin/channels/test.ts'
export { branch } from './admin/conversations/branch.ts'
export { exportConversation } from './admin/conversations/export.ts'
export { conversationFacetsRoute } from './admin/conversations/facets.ts'
export { giveFeedback } from './admin/conversations/feedback.ts'
export { fork } from './admin/conversations/fork.ts'
export { listAdminConversations } from './admin/conversations/list.ts'
export { listMessages } from './admin/conversations/messages.ts'
export { organize } from './admin/conversations/organize.ts'
export { organizeManyRoute } from './admin/conversations/organize-many.ts'
export { postToConversation } from './admin/conversations/post.ts'
export { readConversationRoute } from './admin/conversations/read.ts'
export { regenerate } from './admin/conversations/regenerate.ts'
export { resetContext } from './admin/conversations/reset.ts'
export { listConversationTurns } from './admin/conversations/turns.ts'
export { manyDeliveries } from './admin/deliveries/many.ts'
export { cancel, deliveries, delivery, retry } from './admin/deliveries/routes.ts'
export { countInbox, readInbox } from './admin/inbox/routes.ts'
export { readLog } from './admin/log/list.ts'
export { streamLog } from './admin/log/stream.ts'
export { deleteAnyMediaRoute, listMediaRoute, mediaUsageRoute } from './admin/media/routes.ts'
export { readMetrics } from './admin/metrics/read.ts'
export {
  listModelEndpointsRoute,
  offeredModelsRoute,
  orderModelEndpointsRoute,
  removeModelEndpointRoute,
  setModelEndpointRoute,
} from './admin/models/endpoints.ts'
export { drainNodeRoute, listNodesRoute } from './admin/nodes/routes.ts'
export { deleteOperatorRoute, endSessionsRoute, resetPasswordRoute, updateOperator } from './admin/operators/change.ts'
export { listOperatorsRoute, readOperatorRoute } from './admin/operators/list.ts'
export { addOperator, createOperatorRoute } from './admin/operators/make.ts'
export { overview } from './admin/overview.ts'
export { createOwnKey, listOwnKeys, revokeOwnKey } from './admin/own-keys/routes.ts'
export { listRetention } from './admin/retention/list.ts'
export { listSecretsRoute, removeSecretRoute, setSecretRoute } from './admin/secrets/routes.ts'
export { changeSettingsRoute, checkSettingsRoute } from './admin/settings/change.ts'
export { listSettings } from './admin/settings/list.ts'
export { testModel } from './admin/settings/test-model.ts'
export { signalSeries } from './admin/signal-series.ts'
export { signals } from './admin/signals.ts'
export {
  listSubscriptionDeliveries,
  readSubscriptionDelivery,
  retrySubscriptionDelivery,
  testSubscription,
} from './admin/subscriptions/deliveries.ts'
export {
  createSubscriptionRoute,
  deleteSubscriptionRoute,
  listSubscriptionsRoute,
  rotateSubscriptionSecretRoute,
  updateSubscriptionRoute,
} from './admin/subscriptions/routes.ts'
export { listGrants, setGrants } from './admin/tools/grants.ts'
export { listTools } from './admin/tools/list.ts'
export { cancelTurnRoute } from './admin/turns/cancel.ts'
export { turnFacetsRoute } from './admin/turns/facets.ts'
export { listTurnsRoute, readTurnRoute } from './admin/turns/list.ts'
export { resolveEffect, turnSteps, unknownEffects } from './admin/turns/steps.ts'
export { analytics } from './admin/usage/analytics.ts'
export { listBudgetsRoute, removeBudgetRoute, setBudgetRoute } from './admin/usage/budgets.ts'
export { importPrices, listPrices, removePriceRoute } from './admin/usage/prices.ts'
export { createWorkspaceRoute, listWorkspaces, renameWorkspaceRoute } from './admin/workspaces/routes.ts'
export { switchWorkspace } from './admin/workspaces/switch.ts'
export { createChatCompletion } from './chat/completions.ts'
export { streamEvents } from './events/stream.ts'
export { postInbound, postInboundOfChannel } from './inbound/post.ts'
export { patchContent, putContent, readOffset } from './media/content.ts'
export { createMediaRoute } from './media/create.ts'
export { readFile, signFile } from './media/download.ts'
export { deleteMediaRoute, readMediaRoute } from './media/object.ts'
export { cancelResponse } from './responses/cancel.ts'
export { createResponse } from './responses/create.ts'
export { deleteResponseRoute } from './responses/delete.ts'
export { listInputItems } from './responses/input-items.ts'
export { retrieveResponse } from './responses/retrieve.ts'
export { clientLog } from './system/client-log.ts'
export { healthz } from './system/healthz.ts'
export { metrics } from './system/metrics.ts'
export { listModels, readModel } from './system/models.ts'
export { ping } from './system/ping.ts'
export { readyz } from './system/readyz.ts'
export { time } from './system/time.ts'
export { createTicket } from './web-chat/create-ticket.ts'
export { chatSocket } from './web-chat/socket.ts'
export { streamConversation } from './web-chat/stream.ts'
