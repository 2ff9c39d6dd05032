import type { Place } from '#platform/postgres/embedded-files.ts'
import { settingOf } from '#platform/postgres/postmaster.ts'

export type Settings = Readonly<Record<string, string>>

// Enough for a gateway of some workers, for commands, and for whoever looks into it.
export const usualConnectionsMax = 400

// Later settings win, so a caller cannot open the server to the network or card numbers to the log.
export function settingFlags(place: Place, socketFolder: string, settings: Settings): readonly string[] {
  const all = {
    timezone: 'UTC',
    log_timezone: 'UTC',
    max_connections: String(usualConnectionsMax),
    ...settings,
    cluster_name: place.clusterName,
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
    logging_collector: 'off',
    log_destination: 'stderr',
    log_statement: 'none',
    log_min_duration_statement: '-1',
    // Details quote the values of the row that broke a rule.
    log_error_verbosity: 'terse',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

// Says that a server that runs was started for fewer connections than are needed now; null: it has enough.
export function tooFewConnections(processId: number, settings: Settings = {}): string | null {
  const [has, needed] = [settingOf(processId, 'max_connections'), settings['max_connections']]
  if (has === null || needed === undefined || Number(has) >= Number(needed)) return null
  return `The database server of an earlier run takes ${has} connections: started anew for ${needed}.`
}
