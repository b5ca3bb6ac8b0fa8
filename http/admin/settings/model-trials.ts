/** How many trials of model endpoints run at once in a process: each may wait twenty seconds for a stranger. */
import { type Places, places } from '../../../runtime/time/places.ts'
import { ApiError } from '../../error.ts'

const trialsMax = 2

export const modelTrials = (): Places => places({ placesMax: trialsMax, waitingMax: 0, refusal: tooMany })

const tooMany = (): ApiError => new ApiError('trials_run', `${trialsMax} trials are under way; ask again in a moment.`)
