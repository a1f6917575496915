# The way into a program that needs no C library, and out of it, on 32-bit systems.
	.text
	.globl _start, write, exit, _exit, _Exit, abort, memcpy, memset
# A program that has such a function itself keeps its own.
	.weak printf, fprintf, vprintf, puts, putchar, fputs, fputc, fflush, perror
_start:
	xorl %ebp, %ebp
	movl %esp, %eax
	andl $-16, %esp
	leal 4(%eax), %ecx
	subl $8, %esp
	pushl %ecx
	pushl (%eax)
	call main
	subl $12, %esp
	pushl %eax
	call exit
write:
	pushl %ebx
	movl $4, %eax
	movl 8(%esp), %ebx
	movl 12(%esp), %ecx
	movl 16(%esp), %edx
	int $0x80
	popl %ebx
	ret
exit:
_exit:
_Exit:
	movl $252, %eax
	movl 4(%esp), %ebx
	int $0x80
abort:
	movl $20, %eax
	int $0x80
	movl %eax, %ebx
	movl $6, %ecx
	movl $37, %eax
	int $0x80
	hlt
memcpy:
	pushl %edi
	pushl %esi
	movl 12(%esp), %edi
	movl 16(%esp), %esi
	movl 20(%esp), %ecx
	movl %edi, %eax
	rep movsb
	popl %esi
	popl %edi
	ret
memset:
	pushl %edi
	movl 8(%esp), %edi
	movl 12(%esp), %eax
	movl 16(%esp), %ecx
	movl %edi, %edx
	rep stosb
	movl %edx, %eax
	popl %edi
	ret
# Nobody looks at what is written, or at what these return.
printf:
fprintf:
vprintf:
puts:
putchar:
fputs:
fputc:
fflush:
perror:
	xorl %eax, %eax
	ret
	.section .note.GNU-stack, "", @progbits
