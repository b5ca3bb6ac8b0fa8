/** `GET /v1/admin/settings`: every setting with its value, its origin, and whether it waits for a restart. */
import { z } from 'zod'
import { groups } from '../../../config/catalogue.ts'
import { hasEndpoint } from '../../../models/providers.ts'
import { commandName } from '../../../runtime/command-name.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { SettingView, settingViews } from './view.ts'

export const listSettings = route({
  method: 'GET',
  path: '/v1/admin/settings',
  summary: 'List the settings',
  description: 'Of the installation, in the order of their groups. Of a secret only whether it is set.',
  tag: 'settings',
  access: admin('settings.read', { isInstallation: true }),
  answers: {
    200: z.object({
      groups: z.array(z.string()),
      items: z.array(SettingView),
      pending_restart: z.int().describe('How many wait for a restart.'),
      command: z.string().describe('The command of this service as it is typed on its machine, without its words.'),
      has_model: z.boolean().describe('The settings select a model endpoint, and it has an address.'),
    }),
  },
  async handle({ app }) {
    const { views: items, next } = await settingViews(app)
    return {
      groups: Object.keys(groups),
      items,
      pending_restart: items.filter((item) => item.pending_restart).length,
      command: commandName(),
      has_model: hasEndpoint(next),
    }
  },
})
