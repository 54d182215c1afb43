#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <omp.h>
static inline void work(long k){ for(long i=0;i<k;i++) __asm__ volatile(""); }
static double now(){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec*1e9+t.tv_nsec;}
static void tree(int d,long k){ if(d==0){work(k);return;} 
#pragma omp task
 tree(d-1,k);
#pragma omp task
 tree(d-1,k);
#pragma omp taskwait
}
int main(int c,char**v){ long n=200000; double ns=c>1?atof(v[1]):1000; double best=1e9; long k;
 double t=now(); work(100000000); double per=(now()-t)/1e8; k=ns/per; int reps=c>2?atoi(v[2]):5; int mode=c>3?atoi(v[3]):0;
 int th; double l=0,bl=1e9;
 for(int r=0;r<reps;r++){ t=now();
#pragma omp parallel
 { th=omp_get_num_threads();
#pragma omp single
 { if(mode==0) for(long i=0;i<n;i++){
#pragma omp task firstprivate(k)
 work(k);} else tree(17,k); }
 }
 double d=(now()-t)*th/(mode?262143:n); if(d<best)best=d; }
 printf("%.1f ns of thread time a task\n",best); return 0;}
