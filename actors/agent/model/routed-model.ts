/** The model that a turn is given to by its words, where the settings divide turns between models. */
import type { Settings } from '../../../config/settings.ts'
import { factsOf } from '../../../models/routing/facts.ts'
import { routeModel, routingModels } from '../../../models/routing/route.ts'
import type { ModelRequest } from '../../../models/transport.ts'

/** Undefined: nothing is divided, or this turn goes where all do. */
export function routedModel(
  settings: Settings,
  request: Pick<ModelRequest, 'messages' | 'parameters'>,
): string | undefined {
  const models = routingModels(settings)
  const { simple, standard, complex, strong } = models
  if (simple === '' && standard === '' && complex === '' && strong === '') return undefined
  return routeModel(factsOf(request), models)
}
