/** `/v1/admin/budgets`: how much may be spent, by whom, and how much is. */
import { z } from 'zod'
import { BudgetId } from '../../../store/id.ts'
import { budgetLimits, listBudgets, removeBudget, setBudget } from '../../../store/usage/budgets.ts'
import { admin } from '../../access.ts'
import { notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { BudgetView, budgetView, NewBudgetBody, newBudget } from './budget-body.ts'

const tag = 'usage'

export const listBudgetsRoute = route({
  method: 'GET',
  path: '/v1/admin/budgets',
  summary: 'List the budgets',
  description: `Those of the workspace, at most ${budgetLimits.ofWorkspace}, with what was spent in the day or month (UTC) of now.`,
  tag,
  access: admin('money.read'),
  answers: { 200: z.object({ items: z.array(BudgetView) }) },
  async handle({ app, principal }) {
    return { items: (await listBudgets(app.db, principal.workspaceId)).map(budgetView) }
  },
})

export const setBudgetRoute = route({
  method: 'POST',
  path: '/v1/admin/budgets/set',
  summary: 'Make or change a budget',
  description:
    'There is one for a subject, period and unit. At its soft limit operators are told; at its hard limit calls get 429 budget_exceeded before a model is called, and turns of channels fail.',
  tag,
  access: admin('money.write'),
  body: NewBudgetBody,
  answers: { 200: z.object({ id: BudgetId }) },
  async handle(call) {
    const budget = newBudget(call.body, call.app.services.prices.currency)
    return { id: await setBudget(call.app.db, budget, auditActor(call)) }
  },
})

export const removeBudgetRoute = route({
  method: 'POST',
  path: '/v1/admin/budgets/remove',
  summary: 'Remove a budget',
  tag,
  access: admin('money.write'),
  body: z.strictObject({ id: BudgetId }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    if (!(await removeBudget(call.app.db, call.body.id, auditActor(call))))
      throw notFound('There is no such budget.', 'id')
    return { ok: true }
  },
})
