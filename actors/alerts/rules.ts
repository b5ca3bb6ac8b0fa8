/**
 * The catalogue of alerts: what is watched, from which value on it fires and after how long. Evaluation, the admin API, mails and
 * the rules for other systems are made of it; operators may change threshold, time and switch for their workspace.
 */
import type { Translated } from '../channel/form.ts'

export interface AlertRule {
  /** workspace: of each one. installation: of the whole service; its alerts belong to the default workspace. */
  scope: 'workspace' | 'installation'
  /** The alert's value is compared with the threshold; equal counts. */
  fires: 'above' | 'below'
  threshold: number
  /** What the number is. */
  unit: 'ratio' | 'share' | 'seconds' | 'days' | 'count'
  /** With less to judge by than this (turns, deliveries), nothing fires. */
  floor: number
  /** Seconds that it must hold before it fires, and be over before it resolves. */
  forS: number
  /** Told during quiet hours too. */
  isUrgent: boolean
  /** The name of the page that says what to do: docs/alerts.md has a section of this name. */
  runbook: string
  title: Translated
  help: Translated
}

export const alertRules = {
  turn_latency: {
    ...{ scope: 'workspace', fires: 'above', threshold: 2, unit: 'ratio', floor: 20, forS: 600, isUrgent: false },
    runbook: 'turn-latency',
    title: { en: 'Turns are slow', ru: 'Ответы идут медленно' },
    help: {
      en: 'The median duration of the turns of the last 15 minutes, as a multiple of that of the day before them.',
      ru: 'Медианная длительность ответов за последние 15 минут по сравнению с сутками до них.',
    },
  },
  error_rate: {
    ...{ scope: 'workspace', fires: 'above', threshold: 0.05, unit: 'share', floor: 20, forS: 300, isUrgent: true },
    runbook: 'error-rate',
    title: { en: 'Many turns fail', ru: 'Много неудачных ответов' },
    help: {
      en: 'The share of the turns of the last 15 minutes that failed.',
      ru: 'Доля неудачных ответов за последние 15 минут.',
    },
  },
  deliveries_failing: {
    ...{ scope: 'workspace', fires: 'above', threshold: 0.2, unit: 'share', floor: 5, forS: 300, isUrgent: true },
    runbook: 'deliveries-failing',
    title: { en: 'Deliveries of a channel fail', ru: 'Доставки канала не проходят' },
    help: {
      en: 'The share of the deliveries of the last hour that failed or were given up, by channel.',
      ru: 'Доля доставок за последний час, которые не удались или прекращены, по каналам.',
    },
  },
  deliveries_pending: {
    ...{ scope: 'workspace', fires: 'above', threshold: 900, unit: 'seconds', floor: 1, forS: 60, isUrgent: true },
    runbook: 'deliveries-pending',
    title: { en: 'Answers wait for their delivery', ru: 'Ответы ждут доставки' },
    help: {
      en: 'The age of the oldest answer that has neither arrived nor been given up.',
      ru: 'Возраст самого старого ответа, который не доставлен и не прекращён.',
    },
  },
  approvals_waiting: {
    ...{ scope: 'workspace', fires: 'above', threshold: 1_800, unit: 'seconds', floor: 1, forS: 0, isUrgent: false },
    runbook: 'approvals-waiting',
    title: { en: 'An approval waits', ru: 'Подтверждение ждёт решения' },
    help: {
      en: 'How long the oldest approval has waited for a decision.',
      ru: 'Сколько ждёт решения самое старое подтверждение.',
    },
  },
  keys_ending: {
    ...{ scope: 'workspace', fires: 'below', threshold: 7, unit: 'days', floor: 1, forS: 0, isUrgent: false },
    runbook: 'keys-ending',
    title: { en: 'A key ends soon', ru: 'Срок ключа истекает' },
    help: {
      en: 'The days until an API key ends, by key; resolved when it is revoked, rotated or has ended for a day.',
      ru: 'Сколько дней осталось до конца срока ключа API, по ключам; снимается, когда ключ отозван, заменён или сутки как истёк.',
    },
  },
  subscriptions_failing: {
    ...{ scope: 'workspace', fires: 'above', threshold: 1, unit: 'count', floor: 1, forS: 0, isUrgent: false },
    runbook: 'subscriptions-failing',
    title: { en: 'A subscription fails', ru: 'Подписка не доставляет' },
    help: {
      en: 'Deliveries of a subscription that were given up within the last hour.',
      ru: 'Сколько отправок подписки прекращено за последний час.',
    },
  },
  budgets_soft: {
    ...{ scope: 'workspace', fires: 'above', threshold: 1, unit: 'share', floor: 1, forS: 0, isUrgent: false },
    runbook: 'budgets-soft',
    title: { en: 'A budget has reached its soft limit', ru: 'Бюджет достиг мягкого лимита' },
    help: {
      en: 'What is spent of the soft limit of a budget, by budget; resolved when its day or month is over.',
      ru: 'Какая часть мягкого лимита израсходована, по бюджетам; снимается, когда кончается день или месяц бюджета.',
    },
  },
  budgets_hard: {
    ...{ scope: 'workspace', fires: 'above', threshold: 1, unit: 'share', floor: 1, forS: 0, isUrgent: true },
    runbook: 'budgets-hard',
    title: { en: 'A budget has reached its hard limit', ru: 'Бюджет достиг жёсткого лимита' },
    help: {
      en: 'What is spent of the hard limit of a budget, by budget: from there on, calls are refused.',
      ru: 'Какая часть жёсткого лимита израсходована, по бюджетам: с достижением лимита вызовы отклоняются.',
    },
  },
  nodes_lost: {
    ...{ scope: 'installation', fires: 'above', threshold: 1, unit: 'count', floor: 1, forS: 15, isUrgent: true },
    runbook: 'nodes-lost',
    title: { en: 'A node is gone', ru: 'Узел пропал' },
    help: {
      en: 'Nodes that were lost within the last hour, by host, and that no later start on the same host has replaced.',
      ru: 'Узлы, пропавшие за последний час, по машинам, если на той же машине не запущен новый.',
    },
  },
  endpoints_down: {
    ...{ scope: 'installation', fires: 'above', threshold: 0.5, unit: 'share', floor: 5, forS: 60, isUrgent: true },
    runbook: 'endpoints-down',
    title: { en: 'A model endpoint is down', ru: 'Сервер модели недоступен' },
    help: {
      en: 'The share of the calls of the last five minutes that an endpoint failed, of all nodes, by endpoint.',
      ru: 'Доля вызовов за последние пять минут, с которыми сервер модели не справился, по всем узлам, по серверам.',
    },
  },
} as const satisfies Record<string, AlertRule>

export type AlertRuleId = keyof typeof alertRules

export const alertRuleIds = Object.keys(alertRules) as AlertRuleId[]

export const ruleOf = (id: AlertRuleId): AlertRule => alertRules[id]

export const isAlertRule = (id: string): id is AlertRuleId => Object.hasOwn(alertRules, id)

export function isBreached(
  { fires, floor }: AlertRule,
  threshold: number,
  reading: { value: number; volume: number },
): boolean {
  if (reading.volume < floor) return false
  return fires === 'above' ? reading.value >= threshold : reading.value <= threshold
}

/** The same condition for a system that reads the metrics. */
export function expressionOf(id: AlertRuleId): string {
  const { fires, threshold, floor } = ruleOf(id)
  const of = (metric: string) => `max by (rule, subject) (${metric}{rule="${id}"})`
  return `${of('service_alert_value')} ${fires === 'above' ? '>=' : '<='} ${threshold} and ${of('service_alert_volume')} >= ${floor}`
}
