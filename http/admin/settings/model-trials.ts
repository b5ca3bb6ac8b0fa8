/** Bounds the tests of model endpoints that run at once in a process: each may take twenty seconds. */
import { type Places, places } from '../../../runtime/time/places.ts'
import { ApiError } from '../../error.ts'

const trialsMax = 2

export const modelTrials = (): Places => places({ placesMax: trialsMax, waitingMax: 0, refusal: tooMany })

const tooMany = (): ApiError =>
  new ApiError('trials_run', `${trialsMax} tests of model endpoints are running; try again in a moment.`)
