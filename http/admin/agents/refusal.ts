/** The errors of reading and changing agents. */
import { type AgentRefusal, agentLimits } from '../../../store/agents.ts'
import { ApiError, type ClientCode, notFound } from '../../error.ts'

export function agentRefusal(why: AgentRefusal): ApiError {
  switch (why) {
    case 'unknown':
      return notFound('There is no such agent.')
    case 'unknown_version':
      return notFound('This agent has no such version.')
    case 'name_taken':
      return conflict('agent_name_taken', 'Another agent has this name.', 'name')
    case 'too_many':
      return conflict('too_many_agents', `A workspace has at most ${agentLimits.agentsMax} agents; delete one first.`)
    case 'version_conflict':
      return conflict('version_conflict', 'The agent has been changed since this version; read it again.', 'version')
    default:
      return why satisfies never
  }
}

export function conflict(code: ClientCode, message: string, param?: string): ApiError {
  return new ApiError(code, message, { param })
}
