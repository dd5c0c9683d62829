/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that this project does not call; the build includes this file before every
 * source.  A call becomes the use of an undeclared name that says which function it was.
 *
 * The system's headers declare these functions, so they come first and the names are
 * taken away afterwards: their include guards keep a later #include from seeing the macros.
 */
#pragma once

#include <alloca.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define BANNED(function) this_project_does_not_call_##function

/* No length is known to them. */
#undef strcpy
#define strcpy(...) BANNED(strcpy)
#undef strcat
#define strcat(...) BANNED(strcat)
#undef strncpy
#define strncpy(...) BANNED(strncpy)
#undef strncat
#define strncat(...) BANNED(strncat)
#undef stpcpy
#define stpcpy(...) BANNED(stpcpy)
#undef stpncpy
#define stpncpy(...) BANNED(stpncpy)
#undef sprintf
#define sprintf(...) BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf)
#undef gets
#define gets(...) BANNED(gets)
#undef alloca
#define alloca(...) BANNED(alloca)
#undef strdupa
#define strdupa(...) BANNED(strdupa)
#undef strndupa
#define strndupa(...) BANNED(strndupa)

/* They hide an error, or keep state between calls. */
#undef atoi
#define atoi(...) BANNED(atoi)
#undef atol
#define atol(...) BANNED(atol)
#undef atoll
#define atoll(...) BANNED(atoll)
#undef atof
#define atof(...) BANNED(atof)
#undef strtok
#define strtok(...) BANNED(strtok)
#undef strtok_r
#define strtok_r(...) BANNED(strtok_r)
#undef asctime
#define asctime(...) BANNED(asctime)
#undef ctime
#define ctime(...) BANNED(ctime)
#undef gmtime
#define gmtime(...) BANNED(gmtime)
#undef localtime
#define localtime(...) BANNED(localtime)
#undef rand
#define rand(...) BANNED(rand)
#undef tmpnam
#define tmpnam(...) BANNED(tmpnam)
#undef tempnam
#define tempnam(...) BANNED(tempnam)
#undef mktemp
#define mktemp(...) BANNED(mktemp)

/* Children are started by src/spawn alone, and nothing sleeps. */
#undef system
#define system(...) BANNED(system)
#undef daemon
#define daemon(...) BANNED(daemon)
#undef sleep
#define sleep(...) BANNED(sleep)
#undef usleep
#define usleep(...) BANNED(usleep)

/* The name services load shared libraries, which the static server does not have. */
#undef getpwnam
#define getpwnam(...) BANNED(getpwnam)
#undef getpwuid
#define getpwuid(...) BANNED(getpwuid)
#undef getpwnam_r
#define getpwnam_r(...) BANNED(getpwnam_r)
#undef getpwuid_r
#define getpwuid_r(...) BANNED(getpwuid_r)
#undef getgrnam
#define getgrnam(...) BANNED(getgrnam)
#undef getgrgid
#define getgrgid(...) BANNED(getgrgid)
#undef getgrnam_r
#define getgrnam_r(...) BANNED(getgrnam_r)
#undef getgrgid_r
#define getgrgid_r(...) BANNED(getgrgid_r)
#undef getgrouplist
#define getgrouplist(...) BANNED(getgrouplist)
#undef initgroups
#define initgroups(...) BANNED(initgroups)
#undef gethostbyname
#define gethostbyname(...) BANNED(gethostbyname)
