#!/usr/bin/env bash
# A PostgreSQL for tests, with its own settings left as they are (what it commits is on disk):
#
#   export REWARDLAB_POSTGRES=$(tests/postgres.sh start)   # starts one, says its URL
#   tests/postgres.sh stop                                 # ends it and removes its data
#
# It listens on no port, only on a socket in its own folder. A folder of your own may be named after
# "start" and "stop". Programs are taken from PATH, or from the newest version that Debian installed.
set -euo pipefail

folder="${2:-${TMPDIR:-/tmp}/rewardlab-postgres-$(id -un)}"

programs() {
  if command -v initdb >/dev/null; then
    dirname "$(command -v initdb)"
    return
  fi
  local newest
  newest="$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)"
  [ -n "$newest" ] || { echo "PostgreSQL is needed; on Debian: apt-get install postgresql" >&2; exit 1; }
  echo "$newest"
}

# PostgreSQL refuses to run as root: there it runs as the user that its package made.
as_owner() {
  if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

start() {
  local bin
  bin="$(programs)"
  if [ ! -f "$folder/data/PG_VERSION" ]; then
    mkdir -p "$folder"
    chmod 700 "$folder"
    [ "$(id -u)" != 0 ] || chown postgres "$folder"
    as_owner "$bin/initdb" -D "$folder/data" -U rewardlab -A trust -E UTF8 --locale=C >/dev/null
  fi
  if ! as_owner "$bin/pg_ctl" -D "$folder/data" status >/dev/null; then
    as_owner "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 60 -s \
      -o "-c listen_addresses='' -c unix_socket_directories='$folder'" start >/dev/null \
      || { cat "$folder/log" >&2; exit 1; }
  fi
  echo "postgresql+psycopg://rewardlab@/postgres?host=$folder"
}

stop() {
  [ -d "$folder/data" ] || return 0
  as_owner "$(programs)/pg_ctl" -D "$folder/data" -m fast -w -s stop >/dev/null || true
  rm -rf "$folder"
}

case "${1:-}" in
  start) start ;;
  stop) stop ;;
  *) echo "usage: tests/postgres.sh start|stop [FOLDER]" >&2; exit 2 ;;
esac
