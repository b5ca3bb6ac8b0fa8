/** What each route of the API takes and answers. Written by `npm run build:api-types` from the route table. */

export interface Operations {
  /** Liveness and version */
  'GET /healthz': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      status: "ok"
      version: string
    }
  }
  /** Metrics for a scraper */
  'GET /metrics': {
    params: undefined
    query: undefined
    body: undefined
    answer: undefined
  }
  /** This description */
  'GET /openapi.json': {
    params: undefined
    query: undefined
    body: undefined
    answer: undefined
  }
  /** Readiness: 503 while the database is down, its schema is not this version’s, or the service is stopping */
  'GET /readyz': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      status: "ready"
      node: number
    }
  }
  /** Version and environment of the service */
  'GET /v1/admin/about': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      version: string
      licence: string
      node: string
      this_node: number
      platform: string
      database: {
        version: string
        is_built_in: boolean
      }
      uptime_s: number
      memory_bytes: number
    }
  }
  /** List the actors and pools of a node */
  'GET /v1/admin/actors': {
    params: undefined
    query: { kind?: string; limit?: number; cursor?: number; node?: unknown }
    body: undefined
    answer: {
      kinds: ({
        kind: string
        supervisor: string
        actors: number
        statuses: Record<string, number>
        mailbox: {
          waiting: number
          deepest: number
          capacity: number
        }
        restarts: number
        oldest_ms: number
      })[]
      items: ({
        path: string
        kind: string
        key: string
        status: "idle" | "starting" | "running" | "restarting" | "leaving" | "stopping" | "gone"
        mailbox: {
          waiting: number
          capacity: number
        }
        restarts: number
        age_ms: number
        child_count: number
        children: ({
          path: string
          kind: string
          key: string
          status: "idle" | "starting" | "running" | "restarting" | "leaving" | "stopping" | "gone"
          mailbox: {
            waiting: number
            capacity: number
          }
          restarts: number
          age_ms: number
          child_count: number
          children: ({
            path: string
            kind: string
            key: string
            status: "idle" | "starting" | "running" | "restarting" | "leaving" | "stopping" | "gone"
            mailbox: {
              waiting: number
              capacity: number
            }
            restarts: number
            age_ms: number
            child_count: number
          })[]
        })[]
      })[]
      next_cursor: number | null
      live: number
      totals: Record<string, number>
      pools: {
        workers: ({
          pool: string
          threads: number
          running: number
          waiting: number
          ends: Record<string, number>
        })[]
        database: ({
          pool: string
          connections_max: number
          running: number
          waiting: number
        })[]
      }
      node: number
    }
  }
  /** List the agents */
  'GET /v1/admin/agents': {
    params: undefined
    query: { limit?: number; offset?: number; cursor?: string; q?: string; deleted?: "true" | "false" }
    body: undefined
    answer: {
      items: ({
        id: string
        name: string
        model: string
        version: number
        created_at: string
        updated_at: string
        updated_by: string
        deleted_at: string | null
      })[]
      total: number
      next_cursor: string | null
    }
  }
  /** Create an agent */
  'POST /v1/admin/agents': {
    params: undefined
    query: undefined
    body: {
      name: string
      definition: {
        model?: string
        instructions?: string
        persona?: string
        temperature?: number
        top_p?: number
        max_tokens?: number
        reasoning_effort?: "none" | "low" | "medium" | "high" | "xhigh"
        tools?: string[]
        approval_tools?: string[]
        sub_agents?: string[]
        context_tokens?: number
      }
    }
    answer: {
      id: string
      name: string
      version: number
      created_at: string
      updated_at: string
      updated_by: string
      deleted_at: string | null
      definition: {
        model: string
        instructions: string
        persona: string
        temperature?: number
        top_p?: number
        max_tokens?: number
        reasoning_effort?: "none" | "low" | "medium" | "high" | "xhigh"
        tools?: string[]
        approval_tools: string[]
        sub_agents: string[]
        context_tokens?: number
      }
      warnings: string[]
    }
  }
  /** Read an agent */
  'GET /v1/admin/agents/{agent_id}': {
    params: { agent_id: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      name: string
      version: number
      created_at: string
      updated_at: string
      updated_by: string
      deleted_at: string | null
      definition: {
        model: string
        instructions: string
        persona: string
        temperature?: number
        top_p?: number
        max_tokens?: number
        reasoning_effort?: "none" | "low" | "medium" | "high" | "xhigh"
        tools?: string[]
        approval_tools: string[]
        sub_agents: string[]
        context_tokens?: number
      }
    }
  }
  /** Delete an agent */
  'POST /v1/admin/agents/delete': {
    params: undefined
    query: undefined
    body: {
      agent_id: string
    }
    answer: {
      ok: true
    }
  }
  /** Restore a version of an agent */
  'POST /v1/admin/agents/restore': {
    params: undefined
    query: undefined
    body: {
      agent_id: string
      version: number
    }
    answer: {
      id: string
      name: string
      version: number
      created_at: string
      updated_at: string
      updated_by: string
      deleted_at: string | null
      definition: {
        model: string
        instructions: string
        persona: string
        temperature?: number
        top_p?: number
        max_tokens?: number
        reasoning_effort?: "none" | "low" | "medium" | "high" | "xhigh"
        tools?: string[]
        approval_tools: string[]
        sub_agents: string[]
        context_tokens?: number
      }
      warnings: string[]
    }
  }
  /** Change an agent */
  'POST /v1/admin/agents/update': {
    params: undefined
    query: undefined
    body: {
      agent_id: string
      version: number
      name?: string
      definition: {
        model?: string
        instructions?: string
        persona?: string
        temperature?: number
        top_p?: number
        max_tokens?: number
        reasoning_effort?: "none" | "low" | "medium" | "high" | "xhigh"
        tools?: string[]
        approval_tools?: string[]
        sub_agents?: string[]
        context_tokens?: number
      }
    }
    answer: {
      id: string
      name: string
      version: number
      created_at: string
      updated_at: string
      updated_by: string
      deleted_at: string | null
      definition: {
        model: string
        instructions: string
        persona: string
        temperature?: number
        top_p?: number
        max_tokens?: number
        reasoning_effort?: "none" | "low" | "medium" | "high" | "xhigh"
        tools?: string[]
        approval_tools: string[]
        sub_agents: string[]
        context_tokens?: number
      }
      warnings: string[]
    }
  }
  /** List the versions of an agent */
  'GET /v1/admin/agents/versions': {
    params: undefined
    query: { agent_id: string; limit?: number; cursor?: number }
    body: undefined
    answer: {
      items: ({
        version: number
        name: string
        definition: {
          model: string
          instructions: string
          persona: string
          temperature?: number
          top_p?: number
          max_tokens?: number
          reasoning_effort?: "none" | "low" | "medium" | "high" | "xhigh"
          tools?: string[]
          approval_tools: string[]
          sub_agents: string[]
          context_tokens?: number
        }
        saved_at: string
        saved_by: string
      })[]
      next_cursor: number | null
    }
  }
  /** List alerts, newest first */
  'GET /v1/admin/alerts': {
    params: undefined
    query: { state?: "pending" | "firing" | "resolved"; rule?: "turn_latency" | "error_rate" | "deliveries_failing" | "deliveries_pending" | "approvals_waiting" | "keys_ending" | "subscriptions_failing" | "budgets_soft" | "budgets_hard" | "nodes_lost" | "endpoints_down"; limit?: number; cursor?: string }
    body: undefined
    answer: {
      items: ({
        id: string
        rule: string
        subject: string
        subject_name: string | null
        state: "pending" | "firing" | "resolved"
        value: number
        threshold: number
        is_silenced: boolean
        began_at: string
        fired_at: string | null
        resolved_at: string | null
        told: ({
          subscription_id: string
          subscription: string
          event_kind: string
          status: "pending" | "sending" | "delivered" | "failed" | "undeliverable" | "cancelled"
          at: string
          reason: string | null
        })[]
      })[]
      next_cursor: string | null
    }
  }
  /** List the alert rules */
  'GET /v1/admin/alerts/rules': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        rule: "turn_latency" | "error_rate" | "deliveries_failing" | "deliveries_pending" | "approvals_waiting" | "keys_ending" | "subscriptions_failing" | "budgets_soft" | "budgets_hard" | "nodes_lost" | "endpoints_down"
        scope: "workspace" | "installation"
        title: {
          en: string
          ru: string
        }
        help: {
          en: string
          ru: string
        }
        unit: "ratio" | "share" | "seconds" | "days" | "count"
        fires: "above" | "below"
        threshold: number
        default_threshold: number
        floor: number
        for_s: number
        default_for_s: number
        is_urgent: boolean
        is_enabled: boolean
        runbook: string
        expression: string
      })[]
    }
  }
  /** Change an alert rule */
  'POST /v1/admin/alerts/rules/change': {
    params: undefined
    query: undefined
    body: {
      rule: "turn_latency" | "error_rate" | "deliveries_failing" | "deliveries_pending" | "approvals_waiting" | "keys_ending" | "subscriptions_failing" | "budgets_soft" | "budgets_hard" | "nodes_lost" | "endpoints_down"
      is_enabled?: boolean
      threshold?: number | null
      for_s?: number | null
    }
    answer: {
      ok: true
    }
  }
  /** Silence alerts for a time */
  'POST /v1/admin/alerts/silence': {
    params: undefined
    query: undefined
    body: {
      rule: "turn_latency" | "error_rate" | "deliveries_failing" | "deliveries_pending" | "approvals_waiting" | "keys_ending" | "subscriptions_failing" | "budgets_soft" | "budgets_hard" | "nodes_lost" | "endpoints_down"
      subject?: string
      for_s: number
      reason?: string
    }
    answer: {
      until: string
    }
  }
  /** List the silences that are not over */
  'GET /v1/admin/alerts/silences': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        rule: string
        subject: string
        subject_name: string | null
        until: string
        reason: string
        created_at: string
        created_by: string
      })[]
    }
  }
  /** Test the alerts */
  'POST /v1/admin/alerts/test': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      alert_id: string
      subscriptions: number
    }
  }
  /** End a silence */
  'POST /v1/admin/alerts/unsilence': {
    params: undefined
    query: undefined
    body: {
      rule: "turn_latency" | "error_rate" | "deliveries_failing" | "deliveries_pending" | "approvals_waiting" | "keys_ending" | "subscriptions_failing" | "budgets_soft" | "budgets_hard" | "nodes_lost" | "endpoints_down"
      subject?: string
    }
    answer: {
      ok: true
    }
  }
  /** Usage over time */
  'GET /v1/admin/analytics': {
    params: undefined
    query: { from?: unknown; until?: unknown; group_by?: "none" | "model" | "agent" | "agent_version" | "key" | "channel" | "operator" | "endpoint" | "origin" | "workspace"; bucket?: "none" | "hour" | "day"; value?: string; origin?: "call" | "responses" | "channel" | "web" | "admin" | "eval" | "shadow"; compare?: boolean; limit?: number; offset?: number; format?: "json" | "csv" }
    body: undefined
    answer: {
      from: string
      until: string
      before: {
        from: string
        until: string
      } | null
      group_by: "none" | "model" | "agent" | "agent_version" | "key" | "channel" | "operator" | "endpoint" | "origin" | "workspace"
      bucket: "none" | "hour" | "day"
      total: {
        turns: number
        failed: number
        cancelled: number
        interrupted: number
        usage_unknown: number
        error_rate: number | null
        calls: number
        calls_without_price: number
        tokens_in: number
        tokens_cached: number
        tokens_out: number
        tokens_reasoning: number
        seconds: number
        characters: number
        images: number
        estimated: number
        latency: {
          count: number
          p50_ms: number | null
          p95_ms: number | null
          p99_ms: number | null
        }
        first_token: {
          count: number
          p50_ms: number | null
          p95_ms: number | null
          p99_ms: number | null
        }
        cost: ({
          currency: string
          micro_units: string
        })[]
      }
      total_before: {
        turns: number
        failed: number
        cancelled: number
        interrupted: number
        usage_unknown: number
        error_rate: number | null
        calls: number
        calls_without_price: number
        tokens_in: number
        tokens_cached: number
        tokens_out: number
        tokens_reasoning: number
        seconds: number
        characters: number
        images: number
        estimated: number
        latency: {
          count: number
          p50_ms: number | null
          p95_ms: number | null
          p99_ms: number | null
        }
        first_token: {
          count: number
          p50_ms: number | null
          p95_ms: number | null
          p99_ms: number | null
        }
        cost: ({
          currency: string
          micro_units: string
        })[]
      } | null
      groups: ({
        value: string | null
        name: string | null
        usage: {
          turns: number
          failed: number
          cancelled: number
          interrupted: number
          usage_unknown: number
          error_rate: number | null
          calls: number
          calls_without_price: number
          tokens_in: number
          tokens_cached: number
          tokens_out: number
          tokens_reasoning: number
          seconds: number
          characters: number
          images: number
          estimated: number
          latency: {
            count: number
            p50_ms: number | null
            p95_ms: number | null
            p99_ms: number | null
          }
          first_token: {
            count: number
            p50_ms: number | null
            p95_ms: number | null
            p99_ms: number | null
          }
          cost: ({
            currency: string
            micro_units: string
          })[]
        }
        before: {
          turns: number
          failed: number
          cancelled: number
          interrupted: number
          usage_unknown: number
          error_rate: number | null
          calls: number
          calls_without_price: number
          tokens_in: number
          tokens_cached: number
          tokens_out: number
          tokens_reasoning: number
          seconds: number
          characters: number
          images: number
          estimated: number
          latency: {
            count: number
            p50_ms: number | null
            p95_ms: number | null
            p99_ms: number | null
          }
          first_token: {
            count: number
            p50_ms: number | null
            p95_ms: number | null
            p99_ms: number | null
          }
          cost: ({
            currency: string
            micro_units: string
          })[]
        } | null
      })[]
      groups_total: number
      series: ({
        at: string
        value: string | null
        usage: {
          turns: number
          failed: number
          cancelled: number
          interrupted: number
          usage_unknown: number
          error_rate: number | null
          calls: number
          calls_without_price: number
          tokens_in: number
          tokens_cached: number
          tokens_out: number
          tokens_reasoning: number
          seconds: number
          characters: number
          images: number
          estimated: number
          latency: {
            count: number
            p50_ms: number | null
            p95_ms: number | null
            p99_ms: number | null
          }
          first_token: {
            count: number
            p50_ms: number | null
            p95_ms: number | null
            p99_ms: number | null
          }
          cost: ({
            currency: string
            micro_units: string
          })[]
        }
      })[]
    }
  }
  /** List API keys */
  'GET /v1/admin/apikeys': {
    params: undefined
    query: { limit?: number; cursor?: string; q?: unknown; state?: "active" | "expired" | "revoked"; scope?: "chat" | "admin:read" | "admin:write" | "operators:write" | "mcp" | "a2a" | "*" }
    body: undefined
    answer: {
      items: ({
        id: string
        workspace_id: string
        name: string
        kind: "service" | "personal"
        hint: string
        scopes: ("chat" | "admin:read" | "admin:write" | "operators:write" | "mcp" | "a2a" | "*")[]
        rate_limit_rpm: number | null
        rate_limit_tpm: number | null
        expires_at: string | null
        revoked_at: string | null
        created_at: string
        allowed_ips: string[]
        operator_id: string | null
        made_with: string | null
        used_at: string | null
        line_id: string
      })[]
      next_cursor: string | null
    }
  }
  /** Issue an API key */
  'POST /v1/admin/apikeys': {
    params: undefined
    query: undefined
    body: {
      name: string
      scopes?: ("chat" | "admin:read" | "admin:write" | "operators:write" | "mcp" | "a2a" | "*")[]
      kind?: "service" | "personal"
      rate_limit_rpm?: number | null
      rate_limit_tpm?: number | null
      expires_at?: string | null
      allowed_ips?: string[]
    }
    answer: {
      id: string
      workspace_id: string
      name: string
      kind: "service" | "personal"
      hint: string
      scopes: ("chat" | "admin:read" | "admin:write" | "operators:write" | "mcp" | "a2a" | "*")[]
      rate_limit_rpm: number | null
      rate_limit_tpm: number | null
      expires_at: string | null
      revoked_at: string | null
      created_at: string
      allowed_ips: string[]
      operator_id: string | null
      made_with: string | null
      used_at: string | null
      line_id: string
      key: string
    }
  }
  /** Read an API key */
  'GET /v1/admin/apikeys/{key_id}': {
    params: { key_id: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      workspace_id: string
      name: string
      kind: "service" | "personal"
      hint: string
      scopes: ("chat" | "admin:read" | "admin:write" | "operators:write" | "mcp" | "a2a" | "*")[]
      rate_limit_rpm: number | null
      rate_limit_tpm: number | null
      expires_at: string | null
      revoked_at: string | null
      created_at: string
      allowed_ips: string[]
      operator_id: string | null
      made_with: string | null
      used_at: string | null
      line_id: string
    }
  }
  /** Revoke an API key */
  'POST /v1/admin/apikeys/revoke': {
    params: undefined
    query: undefined
    body: {
      id: string
    }
    answer: {
      ok: true
    }
  }
  /** Rotate an API key */
  'POST /v1/admin/apikeys/rotate': {
    params: undefined
    query: undefined
    body: {
      id: string
      overlap_s?: number
    }
    answer: {
      id: string
      workspace_id: string
      name: string
      kind: "service" | "personal"
      hint: string
      scopes: ("chat" | "admin:read" | "admin:write" | "operators:write" | "mcp" | "a2a" | "*")[]
      rate_limit_rpm: number | null
      rate_limit_tpm: number | null
      expires_at: string | null
      revoked_at: string | null
      created_at: string
      allowed_ips: string[]
      operator_id: string | null
      made_with: string | null
      used_at: string | null
      line_id: string
      key: string
      replaces: string
    }
  }
  /** List approvals, newest first */
  'GET /v1/admin/approvals': {
    params: undefined
    query: { status?: "pending" | "approved" | "refused" | "expired" | "cancelled"; turn_id?: string; limit?: number; cursor?: string }
    body: undefined
    answer: {
      items: ({
        id: string
        status: "pending" | "approved" | "refused" | "expired" | "cancelled"
        agent: string
        tool: string
        arguments: unknown
        turn_id: string
        conversation_id: string | null
        path: string
        requested_at: string
        expires_at: string
        decided_at: string | null
        decided_by: string | null
        reason: string | null
      })[]
      next_cursor: string | null
    }
  }
  /** Approve or refuse a tool call */
  'POST /v1/admin/approvals/decide': {
    params: undefined
    query: undefined
    body: {
      approval_id: string
      decision: "approve" | "refuse"
      reason?: string
    }
    answer: {
      ok: true
      approval: {
        id: string
        status: "pending" | "approved" | "refused" | "expired" | "cancelled"
        agent: string
        tool: string
        arguments: unknown
        turn_id: string
        conversation_id: string | null
        path: string
        requested_at: string
        expires_at: string
        decided_at: string | null
        decided_by: string | null
        reason: string | null
      }
    }
  }
  /** List the audit log */
  'GET /v1/admin/audit': {
    params: undefined
    query: { limit?: number; cursor?: string; id?: string; actor?: string; action?: string; target?: string; from?: string; to?: string }
    body: undefined
    answer: {
      items: ({
        id: string
        seq: number
        at: string
        actor: string
        action: string
        target: string | null
        detail: {
          before: unknown
          after: unknown
        } | null
        before_digest: string | null
        after_digest: string | null
        ip: string
        request_id: string
        actor_name: string | null
        target_name: string | null
      })[]
      next_cursor: string | null
    }
  }
  /** Download the audit log */
  'GET /v1/admin/audit/export': {
    params: undefined
    query: { format?: "ndjson" | "csv"; actor?: string; action?: string; target?: string; from?: string; to?: string }
    body: undefined
    answer: undefined
  }
  /** Verify the audit log */
  'GET /v1/admin/audit/verify': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      intact: boolean
      complete: boolean
      command: string
      problem: {
        kind: string
        seq: number
        message: string
      } | null
      entries: number
      verified_seq: number
      head: {
        seq: number
        hash: string
      }
      deleted_by_retention: {
        up_to_seq: number
        at: string
      } | null
      at: string
    }
  }
  /** Confirm who one is */
  'POST /v1/admin/auth/confirm': {
    params: undefined
    query: undefined
    body: {
      password: string
    } | {
      code: string
    } | {
      passkey: {
        challenge_id: string
        response: {
          id: string
          rawId: string
          type: "public-key"
          authenticatorAttachment?: unknown
          clientExtensionResults?: unknown
          response: {
            clientDataJSON: string
            authenticatorData: string
            signature: string
            userHandle?: string | null
          }
        }
      }
    }
    answer: {
      ok: true
    }
  }
  /** Get a challenge to confirm with a passkey */
  'POST /v1/admin/auth/confirm/options': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      challenge_id: string
      options: Record<string, unknown>
    }
  }
  /** Read one’s own sign-in factors */
  'GET /v1/admin/auth/factors': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      has_password: boolean
      totp_since: string | null
      passkeys: number
      recovery_codes_left: number
    }
  }
  /** Sign in */
  'POST /v1/admin/auth/login': {
    params: undefined
    query: undefined
    body: {
      login: string
      password: string
      code?: string
      passkey?: {
        challenge_id: string
        response: {
          id: string
          rawId: string
          type: "public-key"
          authenticatorAttachment?: unknown
          clientExtensionResults?: unknown
          response: {
            clientDataJSON: string
            authenticatorData: string
            signature: string
            userHandle?: string | null
          }
        }
      }
      workspace_id?: string
    }
    answer: {
      ok: true
      operator: {
        id: string
        login: string
        name: string
      }
      workspace_id: string
      role: "owner" | "admin" | "operator" | "auditor" | "user"
      permissions: ("overview.read" | "conversations.read" | "conversations.write" | "agents.read" | "agents.write" | "channels.read" | "channels.write" | "deliveries.read" | "deliveries.write" | "approvals.read" | "approvals.decide" | "events.read" | "keys.read" | "keys.write" | "operators.read" | "operators.write" | "settings.read" | "settings.write" | "models.read" | "models.write" | "secrets.read" | "secrets.write" | "usage.read" | "money.read" | "money.write" | "media.read" | "media.write" | "tools.grant" | "audit.read" | "log.read" | "actors.read" | "nodes.read" | "nodes.write" | "alerts.read" | "alerts.write" | "webhooks.read" | "webhooks.write" | "chat.use" | "account.own" | "keys.own")[]
      csrf_token: string
      expires_at: string
      second_factor_wanted: boolean
    } | {
      ok: false
      second_factor: {
        methods: ("totp" | "recovery_code" | "passkey")[]
        passkey: {
          challenge_id: string
          options: Record<string, unknown>
        } | null
      }
    }
  }
  /** End one’s own session */
  'POST /v1/admin/auth/logout': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      ok: true
    }
  }
  /** Sign in with only a passkey */
  'POST /v1/admin/auth/passkey/login': {
    params: undefined
    query: undefined
    body: {
      challenge_id: string
      response: {
        id: string
        rawId: string
        type: "public-key"
        authenticatorAttachment?: unknown
        clientExtensionResults?: unknown
        response: {
          clientDataJSON: string
          authenticatorData: string
          signature: string
          userHandle?: string | null
        }
      }
      workspace_id?: string
    }
    answer: {
      ok: true
      operator: {
        id: string
        login: string
        name: string
      }
      workspace_id: string
      role: "owner" | "admin" | "operator" | "auditor" | "user"
      permissions: ("overview.read" | "conversations.read" | "conversations.write" | "agents.read" | "agents.write" | "channels.read" | "channels.write" | "deliveries.read" | "deliveries.write" | "approvals.read" | "approvals.decide" | "events.read" | "keys.read" | "keys.write" | "operators.read" | "operators.write" | "settings.read" | "settings.write" | "models.read" | "models.write" | "secrets.read" | "secrets.write" | "usage.read" | "money.read" | "money.write" | "media.read" | "media.write" | "tools.grant" | "audit.read" | "log.read" | "actors.read" | "nodes.read" | "nodes.write" | "alerts.read" | "alerts.write" | "webhooks.read" | "webhooks.write" | "chat.use" | "account.own" | "keys.own")[]
      csrf_token: string
      expires_at: string
      second_factor_wanted: boolean
    }
  }
  /** Get a challenge to sign in with only a passkey */
  'POST /v1/admin/auth/passkey/options': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      challenge_id: string
      options: Record<string, unknown>
    }
  }
  /** List one’s passkeys */
  'GET /v1/admin/auth/passkeys': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        id: string
        name: string
        transports: string[]
        created_at: string
        used_at: string | null
      })[]
    }
  }
  /** Get a challenge to register a passkey */
  'POST /v1/admin/auth/passkeys/register/options': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      challenge_id: string
      options: Record<string, unknown>
    }
  }
  /** Register a passkey */
  'POST /v1/admin/auth/passkeys/register/verify': {
    params: undefined
    query: undefined
    body: {
      challenge_id: string
      name: string
      response: {
        id: string
        rawId: string
        type: "public-key"
        authenticatorAttachment?: unknown
        clientExtensionResults?: unknown
        response: {
          clientDataJSON: string
          attestationObject: string
          transports?: string[]
        }
      }
    }
    answer: {
      ok: true
      recovery_codes: string[] | null
    }
  }
  /** Remove a passkey */
  'POST /v1/admin/auth/passkeys/remove': {
    params: undefined
    query: undefined
    body: {
      id: string
    }
    answer: {
      ok: true
    }
  }
  /** Rename a passkey */
  'POST /v1/admin/auth/passkeys/rename': {
    params: undefined
    query: undefined
    body: {
      id: string
      name: string
    }
    answer: {
      ok: true
    }
  }
  /** Change one’s own password */
  'POST /v1/admin/auth/password': {
    params: undefined
    query: undefined
    body: {
      current: string
      new: string
    }
    answer: {
      ok: true
      sessions_ended: number
    }
  }
  /** Make new recovery codes */
  'POST /v1/admin/auth/recovery-codes': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      ok: true
      recovery_codes: string[]
    }
  }
  /** Read one’s own session */
  'GET /v1/admin/auth/session': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      ok: true
      operator: {
        id: string
        login: string
        name: string
      }
      workspace_id: string
      role: "owner" | "admin" | "operator" | "auditor" | "user"
      permissions: ("overview.read" | "conversations.read" | "conversations.write" | "agents.read" | "agents.write" | "channels.read" | "channels.write" | "deliveries.read" | "deliveries.write" | "approvals.read" | "approvals.decide" | "events.read" | "keys.read" | "keys.write" | "operators.read" | "operators.write" | "settings.read" | "settings.write" | "models.read" | "models.write" | "secrets.read" | "secrets.write" | "usage.read" | "money.read" | "money.write" | "media.read" | "media.write" | "tools.grant" | "audit.read" | "log.read" | "actors.read" | "nodes.read" | "nodes.write" | "alerts.read" | "alerts.write" | "webhooks.read" | "webhooks.write" | "chat.use" | "account.own" | "keys.own")[]
      csrf_token: string
      expires_at: string
      second_factor_wanted: boolean
    }
  }
  /** List one’s sessions */
  'GET /v1/admin/auth/sessions': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        id: string
        workspace_id: string
        is_current: boolean
        proofs: ("password" | "totp" | "recovery_code" | "passkey")[]
        created_at: string
        seen_at: string
        confirmed_at: string
        expires_at: string
        ip: string
        user_agent: string
      })[]
    }
  }
  /** End one of one’s sessions, or all others */
  'POST /v1/admin/auth/sessions/revoke': {
    params: undefined
    query: undefined
    body: {
      id: string
    } | {
      all_others: true
    }
    answer: {
      ok: true
      sessions_ended: number
    }
  }
  /** Set the password with a one-time link */
  'POST /v1/admin/auth/set-password': {
    params: undefined
    query: undefined
    body: {
      secret: string
      password: string
    }
    answer: {
      ok: true
      login: string
    }
  }
  /** Whether the first operator has to be created */
  'GET /v1/admin/auth/setup': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      is_needed: boolean
    }
  }
  /** Create the first operator */
  'POST /v1/admin/auth/setup': {
    params: undefined
    query: undefined
    body: {
      code: string
      login: string
      name?: string
      password: string
    }
    answer: {
      ok: true
      operator: {
        id: string
        login: string
        name: string
      }
      workspace_id: string
      role: "owner" | "admin" | "operator" | "auditor" | "user"
      permissions: ("overview.read" | "conversations.read" | "conversations.write" | "agents.read" | "agents.write" | "channels.read" | "channels.write" | "deliveries.read" | "deliveries.write" | "approvals.read" | "approvals.decide" | "events.read" | "keys.read" | "keys.write" | "operators.read" | "operators.write" | "settings.read" | "settings.write" | "models.read" | "models.write" | "secrets.read" | "secrets.write" | "usage.read" | "money.read" | "money.write" | "media.read" | "media.write" | "tools.grant" | "audit.read" | "log.read" | "actors.read" | "nodes.read" | "nodes.write" | "alerts.read" | "alerts.write" | "webhooks.read" | "webhooks.write" | "chat.use" | "account.own" | "keys.own")[]
      csrf_token: string
      expires_at: string
      second_factor_wanted: boolean
    }
  }
  /** Set up an authenticator app */
  'POST /v1/admin/auth/totp/begin': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      secret: string
      uri: string
    }
  }
  /** Confirm an authenticator app with its first code */
  'POST /v1/admin/auth/totp/confirm': {
    params: undefined
    query: undefined
    body: {
      code: string
    }
    answer: {
      ok: true
      recovery_codes: string[]
    }
  }
  /** Remove the authenticator app */
  'POST /v1/admin/auth/totp/remove': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      ok: true
    }
  }
  /** Switch to another workspace */
  'POST /v1/admin/auth/workspace': {
    params: undefined
    query: undefined
    body: {
      workspace_id: string
    }
    answer: {
      ok: true
      operator: {
        id: string
        login: string
        name: string
      }
      workspace_id: string
      role: "owner" | "admin" | "operator" | "auditor" | "user"
      permissions: ("overview.read" | "conversations.read" | "conversations.write" | "agents.read" | "agents.write" | "channels.read" | "channels.write" | "deliveries.read" | "deliveries.write" | "approvals.read" | "approvals.decide" | "events.read" | "keys.read" | "keys.write" | "operators.read" | "operators.write" | "settings.read" | "settings.write" | "models.read" | "models.write" | "secrets.read" | "secrets.write" | "usage.read" | "money.read" | "money.write" | "media.read" | "media.write" | "tools.grant" | "audit.read" | "log.read" | "actors.read" | "nodes.read" | "nodes.write" | "alerts.read" | "alerts.write" | "webhooks.read" | "webhooks.write" | "chat.use" | "account.own" | "keys.own")[]
      csrf_token: string
      expires_at: string
      second_factor_wanted: boolean
    }
  }
  /** List the budgets */
  'GET /v1/admin/budgets': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        id: string
        subject: "workspace" | "key" | "operator" | "agent" | "origin"
        value: string | null
        period: "day" | "month"
        unit: "micro_units" | "tokens"
        currency: string | null
        soft_limit: number | null
        hard_limit: number | null
        spent: string
        state: "within" | "soft" | "hard"
        updated_at: string
        updated_by: string
        key_line: string | null
      })[]
    }
  }
  /** Remove a budget */
  'POST /v1/admin/budgets/remove': {
    params: undefined
    query: undefined
    body: {
      id: string
    }
    answer: {
      ok: true
    }
  }
  /** Make or change a budget */
  'POST /v1/admin/budgets/set': {
    params: undefined
    query: undefined
    body: {
      subject: "workspace" | "key" | "operator" | "agent" | "origin"
      value?: string
      period: "day" | "month"
      unit?: "micro_units" | "tokens"
      currency?: string
      soft_limit?: number | null
      hard_limit?: number | null
    }
    answer: {
      id: string
    }
  }
  /** List the kinds of channel */
  'GET /v1/admin/channel-adapters': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        name: string
        title: {
          en: string
          ru: string
        }
        summary: string
        fields: ({
          path: string
          kind: "text" | "number" | "switch" | "choice" | "group"
          label: {
            en: string
            ru: string
          }
          help: {
            en: string
            ru: string
          } | null
          default: string | number | boolean | null
          is_required: boolean
          placeholder: string | null
          min: number | null
          max: number | null
          choices: ({
            value: string | boolean | null
            label: {
              en: string
              ru: string
            }
          })[] | null
          only_if: {
            path: string
            is: string | boolean
          } | null
        })[]
        secrets: ({
          name: string
          label: {
            en: string
            ru: string
          }
          help: {
            en: string
            ru: string
          } | null
          is_required: boolean
          is_generated: boolean
          only_if: {
            path: string
            is: string | boolean
          } | null
        })[]
      })[]
    }
  }
  /** List the channels */
  'GET /v1/admin/channels': {
    params: undefined
    query: { limit?: number; offset?: number; q?: string; adapter?: string; state?: "on" | "paused" | "off" }
    body: undefined
    answer: {
      items: ({
        id: string
        name: string
        adapter: string
        config: Record<string, unknown>
        policy: {
          agent: string
          turns_max: number
          backlog_max: number
          answers: "each" | "together"
          attempts_max: number
          age_max_s: number
          deliveries_max: number
          rate_per_s: number
          send_timeout_s: number
        }
        secrets: string[]
        is_enabled: boolean
        is_paused: boolean
        waiting_turns: number
        connection: {
          status: "none" | "connecting" | "connected" | "waiting"
          since: string | null
          last_error: string | null
        }
        inbound: {
          needs_secret: boolean
          needs_binding: boolean
          ignored: number
        }
        created_at: string
        updated_at: string
      })[]
      total: number
      next_cursor: null
    }
  }
  /** Create a channel */
  'POST /v1/admin/channels': {
    params: undefined
    query: undefined
    body: {
      config?: Record<string, unknown>
      policy?: Record<string, unknown>
      secrets?: Record<string, string | null>
      is_enabled?: boolean
      is_paused?: boolean
      name: string
      adapter: "chatapp" | "email" | "generic"
    }
    answer: {
      id: string
      name: string
      adapter: string
      config: Record<string, unknown>
      policy: {
        agent: string
        turns_max: number
        backlog_max: number
        answers: "each" | "together"
        attempts_max: number
        age_max_s: number
        deliveries_max: number
        rate_per_s: number
        send_timeout_s: number
      }
      secrets: string[]
      is_enabled: boolean
      is_paused: boolean
      waiting_turns: number
      connection: {
        status: "none" | "connecting" | "connected" | "waiting"
        since: string | null
        last_error: string | null
      }
      inbound: {
        needs_secret: boolean
        needs_binding: boolean
        ignored: number
      }
      created_at: string
      updated_at: string
    }
  }
  /** Delete a channel */
  'DELETE /v1/admin/channels/{name}': {
    params: { name: string }
    query: undefined
    body: undefined
    answer: {
      ok: true
      cancelled: {
        turns: number
        deliveries: number
      }
    }
  }
  /** Read a channel */
  'GET /v1/admin/channels/{name}': {
    params: { name: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      name: string
      adapter: string
      config: Record<string, unknown>
      policy: {
        agent: string
        turns_max: number
        backlog_max: number
        answers: "each" | "together"
        attempts_max: number
        age_max_s: number
        deliveries_max: number
        rate_per_s: number
        send_timeout_s: number
      }
      secrets: string[]
      is_enabled: boolean
      is_paused: boolean
      waiting_turns: number
      connection: {
        status: "none" | "connecting" | "connected" | "waiting"
        since: string | null
        last_error: string | null
      }
      inbound: {
        needs_secret: boolean
        needs_binding: boolean
        ignored: number
      }
      created_at: string
      updated_at: string
    }
  }
  /** Change a channel */
  'PATCH /v1/admin/channels/{name}': {
    params: { name: string }
    query: undefined
    body: {
      config?: Record<string, unknown>
      policy?: Record<string, unknown>
      secrets?: Record<string, string | null>
      is_enabled?: boolean
      is_paused?: boolean
    }
    answer: {
      id: string
      name: string
      adapter: string
      config: Record<string, unknown>
      policy: {
        agent: string
        turns_max: number
        backlog_max: number
        answers: "each" | "together"
        attempts_max: number
        age_max_s: number
        deliveries_max: number
        rate_per_s: number
        send_timeout_s: number
      }
      secrets: string[]
      is_enabled: boolean
      is_paused: boolean
      waiting_turns: number
      connection: {
        status: "none" | "connecting" | "connected" | "waiting"
        since: string | null
        last_error: string | null
      }
      inbound: {
        needs_secret: boolean
        needs_binding: boolean
        ignored: number
      }
      created_at: string
      updated_at: string
    }
  }
  /** List the bound senders */
  'GET /v1/admin/channels/{name}/bindings': {
    params: { name: string }
    query: { limit?: number; cursor?: string; external_id?: string }
    body: undefined
    answer: {
      items: ({
        external_id: string
        role: string
        name: string | null
        created_at: string
        created_by: string
      })[]
      next_cursor: string | null
    }
  }
  /** Bind a sender to a role */
  'POST /v1/admin/channels/{name}/bindings': {
    params: { name: string }
    query: undefined
    body: {
      external_id: string
      role?: string
      name?: string | null
    }
    answer: {
      ok: true
    }
  }
  /** Unbind a sender */
  'DELETE /v1/admin/channels/{name}/bindings/{external_id}': {
    params: { name: string; external_id: string }
    query: undefined
    body: undefined
    answer: {
      ok: true
    }
  }
  /** Test the connections of a channel */
  'POST /v1/admin/channels/{name}/test': {
    params: { name: string }
    query: undefined
    body: undefined
    answer: {
      is_ok: boolean
      checks: ({
        name: string
        is_ok: boolean
        words: string
        duration_ms: number
      })[]
    }
  }
  /** List conversations */
  'GET /v1/admin/conversations': {
    params: undefined
    query: { limit?: number; offset?: number; cursor?: unknown; order?: "created" | "active"; text?: unknown; tag?: unknown; folder?: unknown; channel?: unknown; since?: unknown; until?: unknown }
    body: undefined
    answer: {
      conversations: ({
        id: string
        title: string
        workspace_id: string
        project_id: string | null
        folder: string | null
        tags: string[]
        channel: string | null
        external_id: string | null
        last_seq: number
        context_after_seq: number
        parent_id: string | null
        created_at: string
        updated_at: string
        active_at: string
        opening: string | null
        newest: {
          role: string
          name: string | null
          text: string | null
          at: string
        } | null
        turn: {
          id: string
          agent: string | null
          status: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted" | "merged"
          origin: "call" | "responses" | "channel" | "web" | "admin" | "eval" | "shadow"
        } | null
      })[]
      next_cursor: string | null
      total: number
      total_is_estimate: boolean
    }
  }
  /** Read a conversation */
  'GET /v1/admin/conversations/{conversation_id}': {
    params: { conversation_id: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      title: string
      workspace_id: string
      project_id: string | null
      folder: string | null
      tags: string[]
      channel: string | null
      external_id: string | null
      last_seq: number
      context_after_seq: number
      parent_id: string | null
      created_at: string
      updated_at: string
      active_at: string
      opening: string | null
      newest: {
        role: string
        name: string | null
        text: string | null
        at: string
      } | null
      turn: {
        id: string
        agent: string | null
        status: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted" | "merged"
        origin: "call" | "responses" | "channel" | "web" | "admin" | "eval" | "shadow"
      } | null
    }
  }
  /** Fork before a message and post an edited one in its place */
  'POST /v1/admin/conversations/branch': {
    params: undefined
    query: undefined
    body: {
      conversation_id: string
      message_id: string
      text: string
      title?: string
    }
    answer: {
      ok: true
      conversation_id: string
      parent_id: string
      message_id: string
      turn_id: string
    }
  }
  /** Download a conversation */
  'GET /v1/admin/conversations/export': {
    params: undefined
    query: { conversation_id: string; format?: "md" | "json" }
    body: undefined
    answer: undefined
  }
  /** Count conversations by channel, folder and tag */
  'GET /v1/admin/conversations/facets': {
    params: undefined
    query: { tag?: unknown; folder?: unknown; channel?: unknown; since?: unknown; until?: unknown }
    body: undefined
    answer: {
      channel: ({
        value: string
        count: number
      })[]
      folder: ({
        value: string
        count: number
      })[]
      tag: ({
        value: string
        count: number
      })[]
    }
  }
  /** Rate an answer */
  'POST /v1/admin/conversations/feedback': {
    params: undefined
    query: undefined
    body: {
      message_id: string
      rating: -1 | 0 | 1
      comment?: string | null
    }
    answer: {
      ok: true
      message_id: string
      conversation_id: string
      rating: -1 | 0 | 1
    }
  }
  /** Fork a conversation */
  'POST /v1/admin/conversations/fork': {
    params: undefined
    query: undefined
    body: {
      conversation_id: string
      until_message_id?: string
      title?: string
    }
    answer: {
      ok: true
      conversation_id: string
      parent_id: string
      messages: number
    }
  }
  /** Read the messages of a conversation */
  'GET /v1/admin/conversations/messages': {
    params: undefined
    query: { id: string; limit?: number; before_seq?: number }
    body: undefined
    answer: {
      conversation_id: string
      messages: ({
        id: string
        seq: number
        role: string
        content: unknown
        name?: string
        tool_calls?: unknown
        tool_call_id?: unknown
        details: Record<string, unknown> | null
        turn_id: string
        superseded_by: string | null
        feedback: {
          rating: number
          comment: string | null
        } | null
        created_at: string
      })[]
      next_before_seq: number | null
      last_seq: number
    }
  }
  /** Set folder and tags of a conversation */
  'POST /v1/admin/conversations/organize': {
    params: undefined
    query: undefined
    body: {
      conversation_id: string
      folder?: string | null
      tags?: string[]
    }
    answer: {
      ok: true
      conversation_id: string
      folder: string | null
      tags: string[]
    }
  }
  /** Set folder and tags of many conversations */
  'POST /v1/admin/conversations/organize-many': {
    params: undefined
    query: undefined
    body: {
      conversation_ids?: string[]
      filter?: {
        folder?: string
        tag?: string
        channel?: string
      }
      folder?: string | null
      add_tags?: string[]
      remove_tags?: string[]
      as_of?: string
    }
    answer: {
      count: number
      as_of: string
      changed: number
      has_more: boolean
    }
  }
  /** Post a message and start a turn */
  'POST /v1/admin/conversations/post': {
    params: undefined
    query: undefined
    body: {
      conversation_id: string
      text: string
    }
    answer: {
      ok: true
      conversation_id: string
      message_id: string
      turn_id: string
    }
  }
  /** Answer the last message of the user again */
  'POST /v1/admin/conversations/regenerate': {
    params: undefined
    query: undefined
    body: {
      conversation_id: string
    }
    answer: {
      ok: true
      conversation_id: string
      turn_id: string
    }
  }
  /** Reset the context of a conversation */
  'POST /v1/admin/conversations/reset': {
    params: undefined
    query: undefined
    body: {
      conversation_id: string
    }
    answer: {
      ok: true
      conversation_id: string
      context_after_seq: number
    }
  }
  /** List turns */
  'GET /v1/admin/conversations/turns': {
    params: undefined
    query: { conversation_id?: string; status?: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted" | "merged"; since?: unknown; limit?: number; offset?: number }
    body: undefined
    answer: {
      turns: ({
        id: string
        conversation_id: string | null
        status: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted" | "merged"
        origin: "call" | "responses" | "channel" | "web" | "admin" | "eval" | "shadow"
        model: string
        prompt_tokens: number | null
        completion_tokens: number | null
        duration_ms: number | null
        time_to_first_token_ms: number | null
        attempt: number
        error: {
          code: string
          message: string
        } | null
        started_at: string
      })[]
      next_offset: number | null
    }
  }
  /** List deliveries, newest first */
  'GET /v1/admin/deliveries': {
    params: undefined
    query: { status?: "pending" | "sending" | "delivered" | "failed" | "undeliverable" | "cancelled"; channel?: string; conversation_id?: string; limit?: number; cursor?: string }
    body: undefined
    answer: {
      items: ({
        id: string
        channel: string
        conversation_id: string
        message_id: string
        status: "pending" | "sending" | "delivered" | "failed" | "undeliverable" | "cancelled"
        attempts: number
        behind: string | null
        next_at: string | null
        expires_at: string
        receipt: string | null
        reason: string | null
        recipient: string | null
        preview: string | null
        created_at: string
        updated_at: string
      })[]
      next_cursor: string | null
    }
  }
  /** Read a delivery and its attempts */
  'GET /v1/admin/deliveries/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      channel: string
      conversation_id: string
      message_id: string
      status: "pending" | "sending" | "delivered" | "failed" | "undeliverable" | "cancelled"
      attempts: number
      behind: string | null
      next_at: string | null
      expires_at: string
      receipt: string | null
      reason: string | null
      recipient: string | null
      preview: string | null
      created_at: string
      updated_at: string
      tries: ({
        attempt: number
        at: string
        duration_ms: number | null
        outcome: string
        status_code: number | null
        error: string | null
      })[]
    }
  }
  /** Cancel a delivery */
  'POST /v1/admin/deliveries/{id}/cancel': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: {
      ok: true
    }
  }
  /** Retry a delivery now */
  'POST /v1/admin/deliveries/{id}/retry': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: {
      ok: true
    }
  }
  /** Retry or cancel many deliveries */
  'POST /v1/admin/deliveries/many': {
    params: undefined
    query: undefined
    body: {
      action: "retry" | "cancel"
      status?: "pending" | "failed" | "undeliverable" | "cancelled"
      channel?: string
      conversation_id?: string
      as_of?: string
    }
    answer: {
      count: number
      as_of: string
      changed: number
      has_more: boolean
    }
  }
  /** List what waits for a person */
  'GET /v1/admin/inbox': {
    params: undefined
    query: { kind?: string; limit?: number }
    body: undefined
    answer: {
      total: number
      kinds: ({
        kind: string
        count: number
        oldest_at: string | null
      })[]
      items: ({
        kind: string
        id: string
        since: string
        expires_at: string | null
        agent: string | null
        tool: string
        arguments: unknown
        path: string
        n: number
        turn_id: string
        conversation_id: string | null
        asked_by: {
          origin: "call" | "responses" | "channel" | "web" | "admin" | "eval" | "shadow"
          title: string | null
          channel: string | null
          sender: string | null
          sender_name: string | null
          api_key: string | null
          operator: string | null
        } | null
        said: ({
          role: "user" | "assistant" | "operator"
          text: string
        })[]
        effect: {
          description: string
          risk: "read" | "write" | "host"
          idempotency: "repeatable" | "once"
        } | null
        precedents: {
          approved: number
          refused: number
          newest: ({
            status: "approved" | "refused"
            by: string | null
            reason: string | null
            at: string
          })[]
        }
      })[]
    }
  }
  /** Count what waits for a person */
  'GET /v1/admin/inbox/count': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      total: number
      kinds: ({
        kind: string
        count: number
        oldest_at: string | null
      })[]
    }
  }
  /** Read the log */
  'GET /v1/admin/log': {
    params: undefined
    query: { level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal"; search?: string; node?: "all" | unknown; after?: unknown; limit?: number }
    body: undefined
    answer: {
      items: ({
        node: number
        id: number
        time: string
        level: string
        msg: string
        fields: Record<string, unknown>
      })[]
      cursor: string
      missed: number
      has_more: boolean
      silent_nodes: number[]
    }
  }
  /** Follow the log */
  'GET /v1/admin/log/stream': {
    params: undefined
    query: { level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal"; search?: string; node?: "all" | unknown; after?: string }
    body: undefined
    answer: undefined
  }
  /** List the files of the workspace */
  'GET /v1/admin/media': {
    params: undefined
    query: { limit?: number; cursor?: string; status?: "pending" | "ready"; q?: string; type?: string }
    body: undefined
    answer: {
      items: ({
        id: string
        status: "pending" | "ready"
        filename: string
        purpose: string | null
        content_type: string | null
        declared_type: string | null
        bytes: number | null
        sha256: string | null
        created_at: string
        file: {
          id: string
          url: string
          expires_at: string
        } | null
        owner: string
        used_by: string[]
      })[]
      next_cursor: string | null
    }
  }
  /** Delete a file */
  'POST /v1/admin/media/delete': {
    params: undefined
    query: undefined
    body: {
      media_id: string
    }
    answer: {
      ok: true
    }
  }
  /** How many files the workspace has, and how large they are */
  'GET /v1/admin/media/usage': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      files: number
      bytes: number
      quota_bytes: number | null
    }
  }
  /** Read the metrics of nodes */
  'GET /v1/admin/metrics': {
    params: undefined
    query: { node?: "all" | unknown }
    body: undefined
    answer: undefined
  }
  /** List the model endpoints */
  'GET /v1/admin/models/endpoints': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        name: string
        provider: string
        url: string
        has_key: boolean
        models: string[]
        enabled: boolean
        is_default: boolean
        updated_at: string | null
        updated_by: string | null
      })[]
      fallbacks: string
    }
  }
  /** Order the model endpoints */
  'POST /v1/admin/models/endpoints/order': {
    params: undefined
    query: undefined
    body: {
      names: string[]
    }
    answer: {
      ok: true
    }
  }
  /** Remove a model endpoint */
  'POST /v1/admin/models/endpoints/remove': {
    params: undefined
    query: undefined
    body: {
      name: string
    }
    answer: {
      ok: true
    }
  }
  /** Add or replace a model endpoint */
  'POST /v1/admin/models/endpoints/set': {
    params: undefined
    query: undefined
    body: {
      name: string
      provider?: "subscription" | "compatible" | "native"
      url: string
      key?: string
      models?: string[]
      enabled?: boolean
    }
    answer: {
      ok: true
    }
  }
  /** Ask a model endpoint for its models */
  'POST /v1/admin/models/offered': {
    params: undefined
    query: undefined
    body: {
      endpoint?: string
      provider?: "subscription" | "compatible" | "native"
      gateway_url?: string
      key?: string
    }
    answer: {
      models: string[]
    }
  }
  /** List the nodes */
  'GET /v1/admin/nodes': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      this_node: number
      items: ({
        node: number
        host: string | null
        pid: number
        version: string
        started_at: string
        state: "running" | "draining" | "stopped" | "lost"
        silent_ms: number
        slots: number
        load: {
          turns: number
          waiting: number
          actors: number
          streams: number
          connections: number
          memory_bytes: number
          messages: {
            way: "nats" | "database"
            is_up: boolean
            sent: number
            received: number
            dropped: number
            refused: number
            lost: number
          } | null
        } | null
      })[]
    }
  }
  /** Drain a node */
  'POST /v1/admin/nodes/drain': {
    params: undefined
    query: undefined
    body: {
      node: number
    }
    answer: {
      ok: true
    }
  }
  /** List the operators */
  'GET /v1/admin/operators': {
    params: undefined
    query: { limit?: number; cursor?: string; q?: string; role?: "owner" | "admin" | "operator" | "auditor" | "user"; disabled?: boolean; second_factor?: boolean }
    body: undefined
    answer: {
      items: ({
        id: string
        login: string
        name: string
        role: "owner" | "admin" | "operator" | "auditor" | "user" | null
        is_disabled: boolean
        has_password: boolean
        has_totp: boolean
        passkeys: number
        roles_elsewhere: number
        created_at: string
        signed_in_at: string | null
      })[]
      next_cursor: string | null
    }
  }
  /** Create an operator */
  'POST /v1/admin/operators': {
    params: undefined
    query: undefined
    body: {
      login: string
      name?: string
      role: "owner" | "admin" | "operator" | "auditor" | "user"
      password?: string
    }
    answer: {
      id: string
      login: string
      name: string
      role: "owner" | "admin" | "operator" | "auditor" | "user" | null
      is_disabled: boolean
      has_password: boolean
      has_totp: boolean
      passkeys: number
      roles_elsewhere: number
      created_at: string
      signed_in_at: string | null
      password_link: {
        path: string
        expires_at: string
      } | null
    }
  }
  /** Read an operator */
  'GET /v1/admin/operators/{operator_id}': {
    params: { operator_id: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      login: string
      name: string
      role: "owner" | "admin" | "operator" | "auditor" | "user" | null
      is_disabled: boolean
      has_password: boolean
      has_totp: boolean
      passkeys: number
      roles_elsewhere: number
      created_at: string
      signed_in_at: string | null
    }
  }
  /** Give an operator a role in this workspace */
  'POST /v1/admin/operators/add': {
    params: undefined
    query: undefined
    body: {
      login: string
      role: "owner" | "admin" | "operator" | "auditor" | "user"
    }
    answer: {
      id: string
      login: string
      name: string
      role: "owner" | "admin" | "operator" | "auditor" | "user" | null
      is_disabled: boolean
      has_password: boolean
      has_totp: boolean
      passkeys: number
      roles_elsewhere: number
      created_at: string
      signed_in_at: string | null
    }
  }
  /** Delete an operator */
  'POST /v1/admin/operators/delete': {
    params: undefined
    query: undefined
    body: {
      operator_id: string
    }
    answer: {
      ok: true
    }
  }
  /** End all sessions of an operator */
  'POST /v1/admin/operators/end-sessions': {
    params: undefined
    query: undefined
    body: {
      operator_id: string
    }
    answer: {
      ok: true
    }
  }
  /** Reset the password of an operator */
  'POST /v1/admin/operators/reset-password': {
    params: undefined
    query: undefined
    body: {
      operator_id: string
    }
    answer: {
      ok: true
      password_link: {
        path: string
        expires_at: string
      }
    }
  }
  /** Change an operator */
  'POST /v1/admin/operators/update': {
    params: undefined
    query: undefined
    body: {
      operator_id: string
      name?: string
      role?: "owner" | "admin" | "operator" | "auditor" | "user" | null
      is_disabled?: boolean
    }
    answer: {
      ok: true
      operator: {
        id: string
        login: string
        name: string
        role: "owner" | "admin" | "operator" | "auditor" | "user" | null
        is_disabled: boolean
        has_password: boolean
        has_totp: boolean
        passkeys: number
        roles_elsewhere: number
        created_at: string
        signed_in_at: string | null
      } | null
    }
  }
  /** Counts and health */
  'GET /v1/admin/overview': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      counts: {
        conversations: number
        messages: number
        channels: number
        api_keys: number
        turns_last_24h: Record<string, number>
        deliveries: Record<string, number>
      }
      at_least: ("conversations" | "messages" | "turns" | "deliveries")[]
      queue: {
        waiting: number
        running: number
        silent_nodes: number
      }
      health: {
        ready: boolean
        database: "up" | "down"
        schema: "ready" | "pending" | "newer" | "unknown"
        draining: boolean
      }
      key_refused_by: string[]
      version: string
      at: string
    }
  }
  /** List one’s own keys */
  'GET /v1/admin/own-keys': {
    params: undefined
    query: { limit?: number; cursor?: string }
    body: undefined
    answer: {
      items: ({
        id: string
        workspace_id: string
        name: string
        kind: "service" | "personal"
        hint: string
        scopes: ("chat" | "admin:read" | "admin:write" | "operators:write" | "mcp" | "a2a" | "*")[]
        rate_limit_rpm: number | null
        rate_limit_tpm: number | null
        expires_at: string | null
        revoked_at: string | null
        created_at: string
        allowed_ips: string[]
        operator_id: string | null
        made_with: string | null
        used_at: string | null
        line_id: string
      })[]
      next_cursor: string | null
    }
  }
  /** Create a key of one’s own */
  'POST /v1/admin/own-keys': {
    params: undefined
    query: undefined
    body: {
      name: string
      expires_at?: string | null
      allowed_ips?: string[]
    }
    answer: {
      id: string
      workspace_id: string
      name: string
      kind: "service" | "personal"
      hint: string
      scopes: ("chat" | "admin:read" | "admin:write" | "operators:write" | "mcp" | "a2a" | "*")[]
      rate_limit_rpm: number | null
      rate_limit_tpm: number | null
      expires_at: string | null
      revoked_at: string | null
      created_at: string
      allowed_ips: string[]
      operator_id: string | null
      made_with: string | null
      used_at: string | null
      line_id: string
      key: string
    }
  }
  /** Revoke a key of one’s own */
  'POST /v1/admin/own-keys/revoke': {
    params: undefined
    query: undefined
    body: {
      id: string
    }
    answer: {
      ok: true
    }
  }
  /** List the prices of models */
  'GET /v1/admin/prices': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        id: number
        endpoint: string
        model: string
        currency: string
        from: string
        until: string | null
        units: Record<string, number>
        created_at: string
        created_by: string
      })[]
      currency: string | null
    }
  }
  /** Add prices of models */
  'POST /v1/admin/prices/import': {
    params: undefined
    query: undefined
    body: {
      prices: ({
        endpoint?: string
        model: string
        currency: string
        from: string
        until?: string | null
        units: {
          token_in?: number
          token_cached?: number
          token_out?: number
          token_reasoning?: number
          second?: number
          character?: number
          image?: number
          call?: number
        }
      })[]
      replace?: boolean
    }
    answer: {
      added: number
    }
  }
  /** Remove a price */
  'POST /v1/admin/prices/remove': {
    params: undefined
    query: undefined
    body: {
      id: number
    }
    answer: {
      ok: true
    }
  }
  /** What is kept, how much it is and how fast it grows */
  'GET /v1/admin/retention': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        table: string
        setting: string | null
        days: number | null
        deleted_by: "part" | "row"
        rows: number
        rows_estimated: boolean
        bytes: number
        parts: number
        oldest_at: string | null
        bytes_a_day: number | null
      })[]
      database_bytes: number
    }
  }
  /** List the secrets */
  'GET /v1/admin/secrets': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        scope: string
        name: string
        updated_at: string
        updated_by: string
      })[]
    }
  }
  /** Remove a secret */
  'POST /v1/admin/secrets/remove': {
    params: undefined
    query: undefined
    body: {
      scope: string
      name: string
    }
    answer: {
      ok: true
    }
  }
  /** Set a secret */
  'POST /v1/admin/secrets/set': {
    params: undefined
    query: undefined
    body: {
      scope: string
      name: string
      value: string
    }
    answer: {
      ok: true
    }
  }
  /** List the settings */
  'GET /v1/admin/settings': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      groups: string[]
      items: ({
        key: string
        group: string
        type: string
        help: string
        help_ru: string
        allowed: string
        options: string[] | null
        default: string
        apply: "restart" | "live" | "immediate"
        secret: boolean
        value: string | null
        is_set: boolean
        origin: "stored" | "environment" | "default"
        owner_only: boolean
        environment_only: boolean
        environment_hidden: boolean
        environment_ignored: boolean
        unused: boolean
        pending_restart: boolean
        stored_at: string | null
        problem: string | null
      })[]
      pending_restart: number
      command: string
      has_model: boolean
    }
  }
  /** Change settings */
  'POST /v1/admin/settings': {
    params: undefined
    query: undefined
    body: {
      set?: Record<string, string>
      unset?: string[]
      expected?: Record<string, string | true | null>
    }
    answer: {
      changed: string[]
      pending_restart: string[]
      items: ({
        key: string
        group: string
        type: string
        help: string
        help_ru: string
        allowed: string
        options: string[] | null
        default: string
        apply: "restart" | "live" | "immediate"
        secret: boolean
        value: string | null
        is_set: boolean
        origin: "stored" | "environment" | "default"
        owner_only: boolean
        environment_only: boolean
        environment_hidden: boolean
        environment_ignored: boolean
        unused: boolean
        pending_restart: boolean
        stored_at: string | null
        problem: string | null
      })[]
    }
  }
  /** Check settings without changing them */
  'POST /v1/admin/settings/check': {
    params: undefined
    query: undefined
    body: {
      set?: Record<string, string>
      unset?: string[]
    }
    answer: {
      ok: boolean
      refusals: ({
        key: string
        message: string
      })[]
    }
  }
  /** Test a model endpoint */
  'POST /v1/admin/settings/test-model': {
    params: undefined
    query: undefined
    body: {
      endpoint?: string
      provider?: "subscription" | "compatible" | "native"
      gateway_url?: string
      model?: string
      key?: string
    }
    answer: {
      ok: boolean
      steps: ({
        name: "address" | "connection" | "tls" | "authorisation" | "answer"
        state: "ok" | "failed" | "unknown" | "skipped"
      })[]
      message: string | null
      status: number | null
      said: string | null
      model: string | null
      key_sent: boolean
      took_ms: number
    }
  }
  /** Latency, errors, deliveries and channels */
  'GET /v1/admin/signals': {
    params: undefined
    query: { node?: "all" | unknown }
    body: undefined
    answer: {
      latency: {
        median_ms: number | null
        baseline_ms: number | null
        ratio: number | null
        alarm: boolean
      }
      errors: {
        completed: number
        failed: number
        rate: number | null
      }
      deliveries: {
        pending: number
        oldest_age_s: number | null
      }
      channels: ({
        channel: string
        waiting: number
        running: number
        dispositions: Record<string, number>
        intake: {
          accepted: number
          duplicates: number
          ignored: number
          conflicts: number
          refused: number
        }
      })[]
      silent_nodes: number
      is_partial: boolean
      at: string
    }
  }
  /** Latency, errors and deliveries over time */
  'GET /v1/admin/signals/series': {
    params: undefined
    query: { minutes?: "60" | "360" | "1440" | "10080" | "43200" }
    body: undefined
    answer: {
      piece_ms: number
      totals: {
        from: string
        until: string
        turns: number
        completed: number
        failed: number
        p50_ms: number | null
        p95_ms: number | null
        p99_ms: number | null
        first_token_p50_ms: number | null
        first_token_p95_ms: number | null
        is_partial: boolean
      }
      totals_before: {
        from: string
        until: string
        turns: number
        completed: number
        failed: number
        p50_ms: number | null
        p95_ms: number | null
        p99_ms: number | null
        first_token_p50_ms: number | null
        first_token_p95_ms: number | null
        is_partial: boolean
      }
      points: ({
        from: string
        completed: number
        failed: number
        median_ms: number | null
        p95_ms: number | null
        p99_ms: number | null
        first_token_ms: number | null
        tokens_in: number
        tokens_out: number
        deliveries: Record<string, number>
        is_partial: boolean
      })[]
    }
  }
  /** List the subscriptions */
  'GET /v1/admin/subscriptions': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        id: string
        name: string
        kind: "webhook" | "mail"
        target: string
        event_kinds: string[]
        quiet_hours: {
          from: string
          to: string
          time_zone: string
        } | null
        is_enabled: boolean
        has_secret: boolean
        outbox: {
          state: "healthy" | "retrying" | "failing"
          pending: number
          undeliverable: number
          last_delivered_at: string | null
          last_error: string | null
        }
        created_at: string
        created_by: string
        updated_at: string
      })[]
      event_kinds: string[]
      mail_channel: string | null
    }
  }
  /** Subscribe to events */
  'POST /v1/admin/subscriptions': {
    params: undefined
    query: undefined
    body: {
      name: string
      kind: "webhook" | "mail"
      target: string
      event_kinds: ("message.*" | "turn.*" | "step.*" | "approval.*" | "delivery.*" | "settings.*" | "alert.*" | "budget.*" | "message.created" | "turn.started" | "turn.waiting" | "turn.completed" | "turn.failed" | "turn.cancelled" | "turn.interrupted" | "step.waiting" | "step.started" | "step.succeeded" | "step.failed" | "step.unknown" | "approval.requested" | "approval.decided" | "delivery.pending" | "delivery.delivered" | "delivery.failed" | "delivery.undeliverable" | "delivery.cancelled" | "settings.changed" | "alert.fired" | "alert.resolved" | "alert.test" | "budget.soft_limit_reached" | "budget.hard_limit_reached")[]
      quiet_hours?: {
        from: string
        to: string
        time_zone: string
      } | null
      is_enabled?: boolean
    }
    answer: {
      id: string
      name: string
      kind: "webhook" | "mail"
      target: string
      event_kinds: string[]
      quiet_hours: {
        from: string
        to: string
        time_zone: string
      } | null
      is_enabled: boolean
      has_secret: boolean
      outbox: {
        state: "healthy" | "retrying" | "failing"
        pending: number
        undeliverable: number
        last_delivered_at: string | null
        last_error: string | null
      }
      created_at: string
      created_by: string
      updated_at: string
      signing_secret: string | null
      target_warning: string | null
    }
  }
  /** Delete a subscription */
  'POST /v1/admin/subscriptions/delete': {
    params: undefined
    query: undefined
    body: {
      subscription_id: string
    }
    answer: {
      ok: true
    }
  }
  /** List what subscriptions were sent, newest first */
  'GET /v1/admin/subscriptions/deliveries': {
    params: undefined
    query: { subscription_id?: string; status?: "pending" | "sending" | "delivered" | "failed" | "undeliverable" | "cancelled"; alert_id?: string; limit?: number; cursor?: string }
    body: undefined
    answer: {
      items: ({
        id: string
        subscription_id: string
        event_kind: string
        event_at: string
        status: "pending" | "sending" | "delivered" | "failed" | "undeliverable" | "cancelled"
        attempts: number
        status_code: number | null
        reason: string | null
        next_at: string | null
        expires_at: string
        created_at: string
        updated_at: string
      })[]
      next_cursor: string | null
    }
  }
  /** Read one of these with its attempts */
  'GET /v1/admin/subscriptions/deliveries/{delivery_id}': {
    params: { delivery_id: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      subscription_id: string
      event_kind: string
      event_at: string
      status: "pending" | "sending" | "delivered" | "failed" | "undeliverable" | "cancelled"
      attempts: number
      status_code: number | null
      reason: string | null
      next_at: string | null
      expires_at: string
      created_at: string
      updated_at: string
      tries: ({
        attempt: number
        at: string
        duration_ms: number | null
        outcome: string
        status_code: number | null
        error: string | null
      })[]
    }
  }
  /** Send one of these again */
  'POST /v1/admin/subscriptions/deliveries/retry': {
    params: undefined
    query: undefined
    body: {
      delivery_id: string
    }
    answer: {
      ok: true
    }
  }
  /** Make a new signing secret */
  'POST /v1/admin/subscriptions/secret': {
    params: undefined
    query: undefined
    body: {
      subscription_id: string
    }
    answer: {
      signing_secret: string
    }
  }
  /** Test a subscription */
  'POST /v1/admin/subscriptions/test': {
    params: undefined
    query: undefined
    body: {
      subscription_id: string
    }
    answer: {
      is_ok: boolean
      words: string
      duration_ms: number
    }
  }
  /** Change a subscription */
  'POST /v1/admin/subscriptions/update': {
    params: undefined
    query: undefined
    body: {
      subscription_id: string
      name?: string
      target?: string
      event_kinds?: ("message.*" | "turn.*" | "step.*" | "approval.*" | "delivery.*" | "settings.*" | "alert.*" | "budget.*" | "message.created" | "turn.started" | "turn.waiting" | "turn.completed" | "turn.failed" | "turn.cancelled" | "turn.interrupted" | "step.waiting" | "step.started" | "step.succeeded" | "step.failed" | "step.unknown" | "approval.requested" | "approval.decided" | "delivery.pending" | "delivery.delivered" | "delivery.failed" | "delivery.undeliverable" | "delivery.cancelled" | "settings.changed" | "alert.fired" | "alert.resolved" | "alert.test" | "budget.soft_limit_reached" | "budget.hard_limit_reached")[]
      quiet_hours?: {
        from: string
        to: string
        time_zone: string
      } | null
      is_enabled?: boolean
    }
    answer: {
      id: string
      name: string
      kind: "webhook" | "mail"
      target: string
      event_kinds: string[]
      quiet_hours: {
        from: string
        to: string
        time_zone: string
      } | null
      is_enabled: boolean
      has_secret: boolean
      outbox: {
        state: "healthy" | "retrying" | "failing"
        pending: number
        undeliverable: number
        last_delivered_at: string | null
        last_error: string | null
      }
      created_at: string
      created_by: string
      updated_at: string
      target_warning: string | null
    }
  }
  /** List tools and MCP servers */
  'GET /v1/admin/tools': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        name: string
        description: string
        risk: "read" | "write" | "host"
        idempotency: "repeatable" | "once"
        timeout_ms: number
        is_untrusted: boolean
        needs_approval: boolean
      })[]
      mcp_servers: ({
        name: string
        transport: "stdio" | "http"
        status: "connecting" | "connected" | "waiting" | "closed"
        connected_since: string | null
        tools: string[]
        last_error: string | null
      })[]
    }
  }
  /** List the tools granted to workspaces */
  'GET /v1/admin/tools/grants': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        workspace_id: string
        name: string
        tools: string[]
      })[]
    }
  }
  /** Grant tools to a workspace */
  'POST /v1/admin/tools/grants/set': {
    params: undefined
    query: undefined
    body: {
      workspace_id: string
      tools: string[]
    }
    answer: {
      ok: true
    }
  }
  /** List turns of all conversations */
  'GET /v1/admin/turns': {
    params: undefined
    query: { conversation_id?: string; status?: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted" | "merged"; origin?: "call" | "responses" | "channel" | "web" | "admin" | "eval" | "shadow"; model?: unknown; agent?: unknown; error?: unknown; since?: unknown; until?: unknown; request_id?: unknown; order?: "started" | "duration" | "first_token" | "tokens" | "cost"; limit?: number; cursor?: unknown }
    body: undefined
    answer: {
      items: ({
        id: string
        conversation_id: string | null
        agent: string | null
        agent_id: string | null
        agent_version: number | null
        api_key: {
          id: string
          name: string
        } | null
        operator: string | null
        channel: string | null
        status: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted" | "merged"
        origin: "call" | "responses" | "channel" | "web" | "admin" | "eval" | "shadow"
        model: string
        prompt_tokens: number | null
        completion_tokens: number | null
        cached_tokens: number | null
        reasoning_tokens: number | null
        cost: {
          currency: string
          micro_units: string
        } | null
        usage_unknown: boolean
        endpoint: string | null
        finish_reason: string | null
        duration_ms: number | null
        time_to_first_token_ms: number | null
        attempt: number
        error: {
          code: string
          message: string
        } | null
        endpoints: ({
          endpoint: string
          model: string
          code: string | null
          status: number | null
          took_ms: number
        })[] | null
        started_at: string
        input: string | null
        output: string | null
      })[]
      next_cursor: string | null
    }
  }
  /** Read a turn */
  'GET /v1/admin/turns/{turn_id}': {
    params: { turn_id: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      conversation_id: string | null
      agent: string | null
      agent_id: string | null
      agent_version: number | null
      api_key: {
        id: string
        name: string
      } | null
      operator: string | null
      channel: string | null
      status: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted" | "merged"
      origin: "call" | "responses" | "channel" | "web" | "admin" | "eval" | "shadow"
      model: string
      prompt_tokens: number | null
      completion_tokens: number | null
      cached_tokens: number | null
      reasoning_tokens: number | null
      cost: {
        currency: string
        micro_units: string
      } | null
      usage_unknown: boolean
      endpoint: string | null
      finish_reason: string | null
      duration_ms: number | null
      time_to_first_token_ms: number | null
      attempt: number
      error: {
        code: string
        message: string
      } | null
      endpoints: ({
        endpoint: string
        model: string
        code: string | null
        status: number | null
        took_ms: number
      })[] | null
      started_at: string
      input: string | null
      output: string | null
    }
  }
  /** Cancel a waiting or running turn */
  'POST /v1/admin/turns/cancel': {
    params: undefined
    query: undefined
    body: {
      turn_id: string
    }
    answer: {
      ok: true
      turn_id: string
      conversation_id: string
    }
  }
  /** Count turns by status, origin, model, agent and error */
  'GET /v1/admin/turns/facets': {
    params: undefined
    query: { conversation_id?: string; status?: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted" | "merged"; origin?: "call" | "responses" | "channel" | "web" | "admin" | "eval" | "shadow"; model?: unknown; agent?: unknown; error?: unknown; since?: unknown; until?: unknown }
    body: undefined
    answer: {
      status: ({
        value: string
        count: number
      })[]
      origin: ({
        value: string
        count: number
      })[]
      model: ({
        value: string
        count: number
      })[]
      agent: ({
        value: string
        count: number
      })[]
      error: ({
        value: string
        count: number
      })[]
      total: number
      is_estimate: boolean
    }
  }
  /** List the steps of a turn */
  'GET /v1/admin/turns/steps': {
    params: undefined
    query: { turn_id: string; limit?: number; offset?: number }
    body: undefined
    answer: {
      items: ({
        turn_id: string
        path: string
        n: number
        kind: "model" | "tool"
        status: "waiting" | "started" | "succeeded" | "failed" | "unknown"
        name: string
        call_id: string | null
        request: unknown
        result: unknown
        prompt_tokens: number | null
        completion_tokens: number | null
        error_code: string | null
        started_at: string
        duration_ms: number | null
      })[]
      next_offset: number | null
    }
  }
  /** List tool calls with an unknown effect */
  'GET /v1/admin/turns/unknown-effects': {
    params: undefined
    query: { limit?: number }
    body: undefined
    answer: {
      items: ({
        turn_id: string
        path: string
        n: number
        kind: "model" | "tool"
        status: "waiting" | "started" | "succeeded" | "failed" | "unknown"
        name: string
        call_id: string | null
        request: unknown
        result: unknown
        prompt_tokens: number | null
        completion_tokens: number | null
        error_code: string | null
        started_at: string
        duration_ms: number | null
      })[]
    }
  }
  /** Record the outcome of a tool call with an unknown effect */
  'POST /v1/admin/turns/unknown-effects/resolve': {
    params: undefined
    query: undefined
    body: {
      turn_id: string
      path?: string
      n: number
      outcome: "succeeded" | "failed"
      note?: string
    }
    answer: {
      ok: true
    }
  }
  /** List one’s own workspaces */
  'GET /v1/admin/workspaces': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      items: ({
        id: string
        name: string
        role: "owner" | "admin" | "operator" | "auditor" | "user"
        is_current: boolean
        created_at: string
      })[]
    }
  }
  /** Create a workspace */
  'POST /v1/admin/workspaces': {
    params: undefined
    query: undefined
    body: {
      name: string
    }
    answer: {
      id: string
      name: string
      role: "owner" | "admin" | "operator" | "auditor" | "user"
      is_current: boolean
      created_at: string
    }
  }
  /** Rename this workspace */
  'POST /v1/admin/workspaces/rename': {
    params: undefined
    query: undefined
    body: {
      name: string
    }
    answer: {
      ok: true
    }
  }
  /** Answer a conversation */
  'POST /v1/chat/completions': {
    params: undefined
    query: undefined
    body: {
      model: string
      messages: ({
        role: "system" | "developer" | "user" | "assistant" | "tool" | "function"
        content?: string | ({
          type: string
        })[] | null
        name?: string
      })[]
      stream?: boolean | null
      stream_options?: {
        include_usage?: boolean | null
      } | null
      temperature?: number | null
      top_p?: number | null
      max_tokens?: number | null
      max_completion_tokens?: number | null
      n?: number | null
      metadata?: Record<string, unknown> | null
    }
    answer: {
      id: string
      object: "chat.completion"
      created: number
      model: string
      choices: ({
        index: number
        message: {
          role: "assistant"
          content: string | null
        }
        finish_reason: string | null
      })[]
      usage: {
        prompt_tokens: number
        completion_tokens: number
        total_tokens: number
      }
    }
  }
  /** Ingest client-side log events */
  'POST /v1/client-log': {
    params: undefined
    query: undefined
    body: {
      entries: ({
        level?: "debug" | "info" | "warn" | "error"
        message: string
        time?: string
        source?: string
        stack?: string
        context?: Record<string, string | number | boolean | null>
      })[]
    }
    answer: {
      accepted: number
    }
  }
  /** Follow the events of the workspace */
  'GET /v1/events/stream': {
    params: undefined
    query: { kinds?: string[]; conversation_id?: string; channel?: string; cursor?: string }
    body: undefined
    answer: undefined
  }
  /** Download a file */
  'GET /v1/files/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: undefined
  }
  /** Make a signed address of a file */
  'POST /v1/files/{id}/url': {
    params: { id: string }
    query: undefined
    body: {
      ttl_s?: number
    }
    answer: {
      url: string
      expires_at: string
    }
  }
  /** Post messages of a channel */
  'POST /v1/inbound': {
    params: undefined
    query: undefined
    body: {
      channel: string
      external_id: string
      text: string
      message_id?: string
      sender_name?: string
      reply_to?: string
      attachments?: ({
        url: string
        name?: string
        content_type?: string
      })[]
      metadata?: Record<string, string>
      occurred_at?: string
    } | ({
      channel: string
      external_id: string
      text: string
      message_id?: string
      sender_name?: string
      reply_to?: string
      attachments?: ({
        url: string
        name?: string
        content_type?: string
      })[]
      metadata?: Record<string, string>
      occurred_at?: string
    })[]
    answer: {
      disposition: "accepted" | "ignored"
      message_id?: string
      conversation_id?: string
    } | {
      results: ({
        index: number
        status: number
        disposition?: "accepted" | "ignored"
        message_id?: string
        conversation_id?: string
        error?: {
          message: string
          type: string
          code: string
        }
      })[]
    }
  }
  /** Post messages of the channel in the path */
  'POST /v1/inbound/{channel}': {
    params: { channel: string }
    query: undefined
    body: {
      channel?: string
      external_id: string
      text: string
      message_id?: string
      sender_name?: string
      reply_to?: string
      attachments?: ({
        url: string
        name?: string
        content_type?: string
      })[]
      metadata?: Record<string, string>
      occurred_at?: string
    } | ({
      channel?: string
      external_id: string
      text: string
      message_id?: string
      sender_name?: string
      reply_to?: string
      attachments?: ({
        url: string
        name?: string
        content_type?: string
      })[]
      metadata?: Record<string, string>
      occurred_at?: string
    })[]
    answer: {
      disposition: "accepted" | "ignored"
      message_id?: string
      conversation_id?: string
    } | {
      results: ({
        index: number
        status: number
        disposition?: "accepted" | "ignored"
        message_id?: string
        conversation_id?: string
        error?: {
          message: string
          type: string
          code: string
        }
      })[]
    }
  }
  /** Announce an upload */
  'POST /v1/media': {
    params: undefined
    query: undefined
    body: {
      filename: string
      content_type?: string
      bytes?: number
      sha256?: string
      purpose?: string
    }
    answer: {
      id: string
      status: "pending"
      upload: {
        method: "PUT"
        url: string
        headers: Record<string, string>
        expires_at: string
      }
      max_bytes: number
    }
  }
  /** Delete an upload and its file */
  'DELETE /v1/media/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: {
      ok: true
    }
  }
  /** Read what is known of an upload */
  'GET /v1/media/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      status: "pending" | "ready"
      filename: string
      purpose: string | null
      content_type: string | null
      declared_type: string | null
      bytes: number | null
      sha256: string | null
      created_at: string
      file: {
        id: string
        url: string
        expires_at: string
      } | null
    }
  }
  /** Where an upload stands */
  'GET /v1/media/{id}/content': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: {
      offset: number
      bytes: number | null
    }
  }
  /** Go on with an upload */
  'PATCH /v1/media/{id}/content': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: undefined
  }
  /** Upload a file as a whole */
  'PUT /v1/media/{id}/content': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      status: "pending" | "ready"
      filename: string
      purpose: string | null
      content_type: string | null
      declared_type: string | null
      bytes: number | null
      sha256: string | null
      created_at: string
      file: {
        id: string
        url: string
        expires_at: string
      } | null
    }
  }
  /** List models and agents */
  'GET /v1/models': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      object: "list"
      data: ({
        id: string
        object: "model"
        created: number
        owned_by: string
      })[]
    }
  }
  /** Read a model or agent */
  'GET /v1/models/{model}': {
    params: { model: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      object: "model"
      created: number
      owned_by: string
    }
  }
  /** Reachability check */
  'GET /v1/ping': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      ok: true
    }
  }
  /** Create a response */
  'POST /v1/responses': {
    params: undefined
    query: undefined
    body: {
      model: string
      input?: string | ({
        type?: string | null
        role?: "user" | "assistant" | "system" | "developer" | null
        content?: string | ({
          type: string
        })[] | null
      })[] | null
      instructions?: string | null
      previous_response_id?: string | null
      store?: boolean | null
      background?: boolean | null
      stream?: boolean | null
      stream_options?: Record<string, unknown> | null
      tools?: ({
        type: string
        name?: string | null
      })[] | null
      tool_choice?: "none" | "auto" | "required" | {
        type: string
      } | null
      parallel_tool_calls?: boolean | null
      max_output_tokens?: number | null
      max_tool_calls?: number | null
      temperature?: number | null
      top_p?: number | null
      top_logprobs?: number | null
      text?: {
        format?: {
          type: "text" | "json_schema" | "json_object"
        } | null
        verbosity?: string | null
      } | null
      reasoning?: {
        effort?: string | null
        summary?: string | null
      } | null
      include?: string[] | null
      truncation?: "auto" | "disabled" | null
      metadata?: Record<string, string> | null
      conversation?: unknown
      prompt?: unknown
    }
    answer: {
      id: string
      object: "response"
      created_at: number
      status: "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled"
      error: {
        code: string
        message: string
      } | null
      incomplete_details: {
        reason: string
      } | null
      model: string
      output: ({
        type: string
      })[]
      previous_response_id: string | null
      usage: {
        input_tokens: number
        input_tokens_details: {
          cached_tokens: number
        }
        output_tokens: number
        output_tokens_details: {
          reasoning_tokens: number
        }
        total_tokens: number
      } | null
    }
  }
  /** Delete a response */
  'DELETE /v1/responses/{response_id}': {
    params: { response_id: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      object: "response"
      deleted: true
    }
  }
  /** Retrieve a response */
  'GET /v1/responses/{response_id}': {
    params: { response_id: string }
    query: { stream?: "true" | "false"; starting_after?: number }
    body: undefined
    answer: {
      id: string
      object: "response"
      created_at: number
      status: "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled"
      error: {
        code: string
        message: string
      } | null
      incomplete_details: {
        reason: string
      } | null
      model: string
      output: ({
        type: string
      })[]
      previous_response_id: string | null
      usage: {
        input_tokens: number
        input_tokens_details: {
          cached_tokens: number
        }
        output_tokens: number
        output_tokens_details: {
          reasoning_tokens: number
        }
        total_tokens: number
      } | null
    }
  }
  /** Cancel a response */
  'POST /v1/responses/{response_id}/cancel': {
    params: { response_id: string }
    query: undefined
    body: undefined
    answer: {
      id: string
      object: "response"
      created_at: number
      status: "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled"
      error: {
        code: string
        message: string
      } | null
      incomplete_details: {
        reason: string
      } | null
      model: string
      output: ({
        type: string
      })[]
      previous_response_id: string | null
      usage: {
        input_tokens: number
        input_tokens_details: {
          cached_tokens: number
        }
        output_tokens: number
        output_tokens_details: {
          reasoning_tokens: number
        }
        total_tokens: number
      } | null
    }
  }
  /** List the input items of a response */
  'GET /v1/responses/{response_id}/input_items': {
    params: { response_id: string }
    query: { after?: string; limit?: number; order?: "asc" | "desc" }
    body: undefined
    answer: {
      object: "list"
      data: ({
        id: string
        type: string
      })[]
      first_id: string | null
      last_id: string | null
      has_more: boolean
    }
  }
  /** Server time */
  'GET /v1/time': {
    params: undefined
    query: undefined
    body: undefined
    answer: {
      time: string
      unix_ms: number
    }
  }
  /** Follow one conversation */
  'GET /v1/web/stream': {
    params: undefined
    query: { conversation_id?: string; ticket?: string; cursor?: string }
    body: undefined
    answer: undefined
  }
  /** Make a ticket for a web chat */
  'POST /v1/web/tickets': {
    params: undefined
    query: undefined
    body: {
      conversation_id?: string | "new"
      ttl_s?: number
    }
    answer: {
      ticket: string
      conversation_id: string
      expires_at: string
    }
  }
  /** Chat over a WebSocket */
  'GET /v1/web/ws': {
    params: undefined
    query: { conversation_id?: string; ticket?: string; cursor?: string }
    body: undefined
    answer: undefined
  }
}
