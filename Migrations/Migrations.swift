internal import Postgres
